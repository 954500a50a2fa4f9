import { describe, expect, it, vi } from "vitest";
import { Mirror } from "../../mirror/mirror";
import { chat, welcome } from "../../testRecords";
import type { Attachment, NodeId } from "../../wire/generated";
import { Drafts } from "./drafts";
import { MAX_FILE_BYTES, Uploads } from "./uploads";

const n1 = "n1" as NodeId;

function setUp() {
  const mirror = new Mirror();
  mirror.load(welcome([chat()]));
  const drafts = new Drafts({ mirror, send: () => new Promise(() => {}), storage: null });
  const answers: { resolve: (file: Attachment) => void; reject: (error: Error) => void; signal: AbortSignal }[] = [];
  const sendFile = vi.fn(
    (_file: File, signal: AbortSignal) =>
      new Promise<Attachment>((resolve, reject) => answers.push({ resolve, reject, signal })),
  );
  return { drafts, answers, sendFile, uploads: new Uploads({ drafts, sendFile }) };
}

const file = (name: string, size = 3) => Object.defineProperty(new File(["abc"], name), "size", { value: size });
const kept = (name: string): Attachment => ({ id: name, name, mediaType: "", sizeBytes: 3, digest: name });

describe("Uploads", () => {
  it("[U11] a file stands in the composer once the server has it", async () => {
    const { uploads, drafts, answers } = setUp();
    uploads.add(n1, [file("a.txt"), file("b.txt")]);
    await Promise.resolve();
    expect(uploads.list(n1).map((each) => each.name)).toEqual(["a.txt", "b.txt"]);
    const done = uploads.whenDone(n1);
    answers[1]?.resolve(kept("b.txt"));
    answers[0]?.resolve(kept("a.txt"));
    await done;
    expect(uploads.list(n1)).toEqual([]);
    expect(drafts.state(n1).files.map((each) => each.name)).toEqual(["a.txt", "b.txt"]);
  });

  it("[U11] says why a file did not get there, and leaves the others", async () => {
    const { uploads, drafts, answers, sendFile } = setUp();
    uploads.add(n1, [file("big.bin", MAX_FILE_BYTES + 1)]);
    expect(drafts.state(n1).refusal).toBe("big.bin is larger than 32 MiB.");
    uploads.add(n1, [file("a.txt")]);
    await Promise.resolve();
    expect(sendFile).toHaveBeenCalledTimes(1);
    answers[0]?.reject(new Error("The disk is full."));
    await uploads.whenDone(n1);
    expect(drafts.state(n1).refusal).toBe("a.txt could not be attached: The disk is full.");
    expect(drafts.state(n1).files).toEqual([]);
  });

  it("[U11] one that was taken back does not come after all", async () => {
    const { uploads, drafts, answers } = setUp();
    uploads.add(n1, [file("a.txt")]);
    await Promise.resolve();
    uploads.cancel(n1, uploads.list(n1)[0]?.key ?? 0);
    expect(answers[0]?.signal.aborted).toBe(true);
    answers[0]?.resolve(kept("a.txt"));
    await Promise.resolve();
    expect(uploads.list(n1)).toEqual([]);
    expect(drafts.state(n1).files).toEqual([]);
  });
});
