import { afterEach, describe, expect, it } from "vitest";
import type { NodeId } from "../wire/generated";
import { Spotlight } from "./spotlight";

const n1 = "n1" as NodeId;

function put(html: string): HTMLElement {
  document.body.innerHTML = html;
  return document.querySelector<HTMLElement>("[data-focus]") ?? document.body;
}

describe("Spotlight", () => {
  afterEach(() => put(""));

  it("[U3] gives the cursor to a node that was waited for", () => {
    const button = put("<button data-focus>New chat</button>");
    button.focus();
    const spotlight = new Spotlight();
    spotlight.later()(n1);
    expect([spotlight.takes(n1), spotlight.takes(n1)]).toEqual([true, false]);
  });

  it("[U3] gives it from the field where the node was asked for", () => {
    const field = put("<textarea data-focus></textarea>");
    field.focus();
    const spotlight = new Spotlight();
    spotlight.later()(n1);
    expect(spotlight.takes(n1)).toBe(true);
  });

  it.each([
    ["writes elsewhere", "<textarea data-focus></textarea>"],
    ["opened a window", "<div role=dialog><button data-focus>Close</button></div>"],
  ])("[U3] leaves the cursor to who %s meanwhile, and shows the node all the same", (_what, html) => {
    const spotlight = new Spotlight();
    const shown: NodeId[] = [];
    spotlight.subscribe((node) => shown.push(node));
    const show = spotlight.later();
    put(html).focus();
    show(n1);
    expect([shown, spotlight.takes(n1)]).toEqual([[n1], false]);
  });
});
