/** When Enter sends; pure. A key that belongs to an input method never does (U3). */

export interface ComposerKey {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly isComposing: boolean;
  readonly keyCode: number;
}

/**
 * Whether the key is the input method's. `justComposed`: a composition has ended and no key was let go since. Safari
 * ends the composition before it reports the very Enter that ended it.
 */
export function isInputMethodKey(press: ComposerKey, justComposed: boolean): boolean {
  return press.isComposing || press.keyCode === 229 || (justComposed && press.key === "Enter");
}

export function isSendKey(press: ComposerKey, justComposed: boolean): boolean {
  return press.key === "Enter" && !press.shiftKey && !isInputMethodKey(press, justComposed);
}
