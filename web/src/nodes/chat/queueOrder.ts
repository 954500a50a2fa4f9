/** `ids` with `id` at `place`; the very list that was given where nothing changes; pure. */
export function movedTo<Id>(ids: readonly Id[], id: Id, place: number): readonly Id[] {
  if (place < 0 || place >= ids.length || ids[place] === id || !ids.includes(id)) return ids;
  const others = ids.filter((each) => each !== id);
  return [...others.slice(0, place), id, ...others.slice(place)];
}
