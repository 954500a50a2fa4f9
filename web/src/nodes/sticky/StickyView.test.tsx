import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { frame, put, sticky } from "../../testRecords";
import type { NodeId } from "../../wire/generated";
import { StickyView } from "./StickyView";

const s1 = "s1" as NodeId;

function setUp() {
  const page = setUpClient([sticky({ id: s1 })]);
  render(<StickyView node={s1} far={false} />, { wrapper: page.Wrapper });
  const field = () => screen.queryByRole<HTMLTextAreaElement>("textbox", { name: "Note" });
  return { ...page, field };
}

describe("StickyView", () => {
  it("[U10] keeps what is being written when the note is asked for once more", async () => {
    const { field, client } = setUp();
    await userEvent.dblClick(screen.getByRole("region", { name: "Note" }));
    await userEvent.keyboard("quick");
    act(() => client.spotlight.show(s1));
    expect(field()?.value).toBe("quick");
  });

  it("[U10] keeps what is written while the server saves what was there before", async () => {
    const { field, sent, acknowledge, apply } = setUp();
    await userEvent.dblClick(screen.getByRole("region", { name: "Note" }));
    await userEvent.keyboard("one{Escape} and two");
    expect(sent()).toEqual([{ do: "editSticky", node: s1, text: "one" }]);
    apply(frame(1, put(sticky({ id: s1, data: { kind: "sticky", text: "one" } }))));
    await act(async () => acknowledge({ seq: 1 }));
    expect(field()?.value).toBe("one and two");
    await userEvent.keyboard("{Escape}");
    expect(sent()[1]).toEqual({ do: "editSticky", node: s1, text: "one and two" });
    apply(frame(2, put(sticky({ id: s1, data: { kind: "sticky", text: "one and two" } }))));
    await act(async () => acknowledge({ seq: 2 }));
    await waitFor(() => expect(field()).toBeNull());
  });
});
