import { describe, expect, it } from "vitest";
import { keyPlaceOf, shortcutFor } from "./shortcuts";

const press = (
  key: string,
  more: { ctrlKey?: boolean; metaKey?: boolean; shiftKey?: boolean; altKey?: boolean } = {},
) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...more,
});

describe("shortcutFor", () => {
  it.each([
    ["undo", press("z", { ctrlKey: true })],
    ["redo", press("Z", { metaKey: true, shiftKey: true })],
    ["redo", press("y", { ctrlKey: true })],
    ["add-chat", press("n")],
    ["add-sticky", press("s")],
    ["fit", press("f")],
    ["close", press("Delete")],
    ["palette", press("/")],
    ["select-all", press("a", { ctrlKey: true })],
    ["duplicate", press("d", { ctrlKey: true })],
    ["group", press("g")],
    ["fold", press("h")],
    ["full-screen", press("o")],
    ["tidy-grid", press("t")],
    ["tidy-lineage", press("T", { shiftKey: true })],
    ["keys", press("?", { shiftKey: true })],
    ["back", press("ArrowLeft", { altKey: true })],
    ["forward", press("ArrowRight", { altKey: true })],
    ["next-project", press("PageDown", { altKey: true })],
    ["project-before", press("PageUp", { altKey: true })],
    [null, press("N", { shiftKey: true })],
    [null, press("ArrowLeft")],
    [null, press("Backspace")],
    [null, press("Backspace", { ctrlKey: true })],
    [null, press("n", { ctrlKey: true })],
  ])("[U6] on the canvas: %s", (shortcut, key) => {
    expect(shortcutFor(key, "canvas")).toBe(shortcut);
  });

  it("[U4] leaves every key but the palette's to a node and to text", () => {
    const keys = [
      press("z", { ctrlKey: true }),
      press("Delete"),
      press("Backspace"),
      press("n"),
      press("a", { ctrlKey: true }),
    ];
    for (const key of keys) expect([shortcutFor(key, "node"), shortcutFor(key, "text")]).toEqual([null, null]);
    expect(shortcutFor(press("k", { ctrlKey: true }), "text")).toBe("palette");
  });

  it("[U9] goes to another project from anywhere but a window", () => {
    const key = press("PageDown", { altKey: true });
    expect([shortcutFor(key, "text"), shortcutFor(key, "node"), shortcutFor(key, "window")]).toEqual([
      "next-project",
      "next-project",
      null,
    ]);
  });
});

describe("keyPlaceOf", () => {
  it("[U4] knows text and nodes by what is around the target", () => {
    document.body.innerHTML =
      '<div class="nokey"><textarea></textarea><button></button></div><div role="menu"><i></i></div><p></p>';
    const at = (selector: string) => keyPlaceOf(document.querySelector(selector));
    expect([at("textarea"), at("button"), at("i"), at("p"), keyPlaceOf(null)]).toEqual([
      "text",
      "node",
      "window",
      "canvas",
      "canvas",
    ]);
  });
});
