import { act, render } from "@testing-library/react";
import { expect, it } from "vitest";
import { NEAR_GROUPS } from "./limits";
import Markdown from "./Markdown";
import { GROUP_SIZE } from "./markdownStream";

/** The browser says that it skips an element that is out of sight, or that it draws it again. */
function say(element: Element | undefined, skipped: boolean): void {
  const event = Object.assign(new Event("contentvisibilityautostatechange", { bubbles: true }), { skipped });
  act(() => void element?.dispatchEvent(event));
}

it("[U5] of a long reply, what is far from its end and out of sight is its text alone, until it is seen again", () => {
  const count = GROUP_SIZE * (NEAR_GROUPS + 2);
  const text = Array.from({ length: count }, (_, index) => `**part** ${index}`).join("\n\n");
  const { container } = render(<Markdown text={text} streaming={false} />);
  const groups = [...container.querySelectorAll(".tf-md-group")];
  const strong = () => groups.map((group) => group.querySelectorAll("strong").length);
  const all = groups.map(() => GROUP_SIZE);
  expect(strong()).toEqual(all);
  for (const group of groups) say(group, true);
  expect(strong()).toEqual([0, ...all.slice(1)]);
  expect(groups[0]?.textContent).toContain("**part** 7");
  say(groups[0]?.firstElementChild ?? undefined, false);
  expect(strong()).toEqual([0, ...all.slice(1)]);
  say(groups[0], false);
  expect(strong()).toEqual(all);
});
