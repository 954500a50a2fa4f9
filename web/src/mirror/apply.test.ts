import { describe, expect, it } from "vitest";
import { message } from "../testRecords";
import type { RecordId } from "../wire/generated";
import { applyChange, type Records } from "./apply";

const records = (...values: readonly ReturnType<typeof message>[]): Records =>
  new Map(values.map((value) => [value.id, value]));

describe("applyChange", () => {
  it("puts a record", () => {
    const before = records();
    applyChange(before, { op: "put", value: message({ id: "m1" }) });
    expect(before).toEqual(records(message({ id: "m1" })));
  });

  it("grows one text field and leaves other records as they are", () => {
    const other = message({ id: "m2" });
    const before = records(message({ id: "m1", content: "Hel" }), other);
    applyChange(before, { op: "append", id: "m1" as RecordId, field: "content", text: "lo" });
    expect(before).toEqual(records(message({ id: "m1", content: "Hello" }), other));
    expect(before.get("m2")).toBe(other);
  });

  it("grows a field that was left out because it was empty", () => {
    const before = records(message({ id: "m1" }));
    applyChange(before, { op: "append", id: "m1" as RecordId, field: "thinking", text: "Hm" });
    expect(before).toEqual(records(message({ id: "m1", thinking: "Hm" })));
  });

  it("removes a record, and nothing when it is not there", () => {
    const before = records(message({ id: "m1" }));
    applyChange(before, { op: "remove", id: "m1" as RecordId });
    applyChange(before, { op: "remove", id: "m9" as RecordId });
    expect(before).toEqual(records());
  });

  it("refuses to grow what is not there", () => {
    expect(() => applyChange(records(), { op: "append", id: "m1" as RecordId, field: "content", text: "x" })).toThrow(
      "append to m1",
    );
  });
});
