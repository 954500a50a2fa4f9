/** Text of a model as a person must see it, where it is not the server that draws it (T6); pure. */

/** What is drawn as nothing, turns the direction of writing, passes for a plain space, or is one mark too many. */
const HIDDEN =
  /(?<=[\p{Mn}\p{Me}]{3})[\p{Mn}\p{Me}]|\p{Variation_Selector}|\u034f|[\u17b4\u17b5]|[\p{C}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u2800\u3164\uffa0]/gu;

/** Written out as `⟨U+202E⟩`; lines and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, (found) => {
    if (found === "\n" || found === "\t") return found;
    return `⟨U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** JSON that says the same with nothing in it that hides: written as `\u202e`, as JSON has it. */
export function visibleJson(json: string): string {
  return json.replace(HIDDEN, (found) => {
    if (found === "\n" || found === "\t" || found === "\r") return found;
    return found.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  });
}
