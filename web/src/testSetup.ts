/** What jsdom lacks and the components under test call. */
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";
import { keepInputMethodKeys } from "./ui/inputMethod";

configure({ asyncUtilTimeout: 20_000 });
afterEach(cleanup);
keepInputMethodKeys(window);

class NoResizeObserver implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

globalThis.ResizeObserver ??= NoResizeObserver;
Element.prototype.scrollIntoView ??= () => {};
// jsdom draws no modal windows.
HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
  this.open = true;
};
HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
  this.open = false;
};
