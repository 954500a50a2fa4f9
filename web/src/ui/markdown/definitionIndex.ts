/** Keeps what a message defines: addresses for labels, and footnotes. Definitions at its growing end may still change. */

import { owned } from "../../owned";
import type { PlacedBlock } from "./blockNode";
import { type Definitions, type LinkDefinition, NO_DEFINITIONS } from "./grammar";

export class DefinitionIndex {
  readonly #links = new Map<string, LinkDefinition>();
  readonly #footnotes = new Set<string>();
  #current: Definitions;
  #isOld = true;

  /** `before` is what was handed out last: it is handed out again while it says the same. */
  constructor(before: Definitions = NO_DEFINITIONS) {
    this.#current = before;
  }

  /** Takes up what settled blocks define. */
  add(blocks: readonly PlacedBlock[]): void {
    for (const block of blocks) {
      if (!definesAny(block)) continue;
      addDefined(this.#links, this.#footnotes, owned(block));
      this.#isOld = true;
    }
  }

  /** All definitions, with those of `tail`. A new object only when something is new: it makes views read again. */
  with(tail: readonly PlacedBlock[]): Definitions {
    const defining = tail.filter(definesAny);
    if (!this.#isOld && defining.length === 0) return this.#current;
    this.#isOld = defining.length > 0;
    const links = new Map(this.#links);
    const footnotes = new Set(this.#footnotes);
    for (const block of defining) addDefined(links, footnotes, block);
    if (!isSame(this.#current, { links, footnotes })) this.#current = { links, footnotes };
    return this.#current;
  }
}

function isSame(one: Definitions, other: Definitions): boolean {
  if (one.links.size !== other.links.size || one.footnotes.size !== other.footnotes.size) return false;
  for (const label of one.footnotes) if (!other.footnotes.has(label)) return false;
  for (const [label, { href, title }] of one.links) {
    const link = other.links.get(label);
    if (!link || link.href !== href || link.title !== title) return false;
  }
  return true;
}

function definesAny({ defines }: PlacedBlock): boolean {
  return defines.links.length > 0 || defines.footnotes.length > 0;
}

/** The first definition of a label counts. */
function addDefined(links: Map<string, LinkDefinition>, footnotes: Set<string>, { defines }: PlacedBlock): void {
  for (const [label, definition] of defines.links) if (!links.has(label)) links.set(label, definition);
  for (const label of defines.footnotes) footnotes.add(label);
}
