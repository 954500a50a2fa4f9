import { describe, expect, it } from "vitest";
import { CODE_KINDS, type Runs } from "./codeKinds";
import { highlightCode } from "./highlight";
import type { HighlightAnswer, HighlightRequest } from "./highlight.worker";
import { Highlighter, type HighlightWorker } from "./highlighter";
import { LANGUAGES, languageLabel, languageOf } from "./language";

function parts(code: string, runs: Runs | null): [string, string][] {
  const found: [string, string][] = [];
  let at = 0;
  for (let index = 0; runs && index < runs.length; index += 2) {
    const length = runs[index + 1] ?? 0;
    found.push([CODE_KINDS[runs[index] ?? 0] ?? "?", code.slice(at, at + length)]);
    at += length;
  }
  return found;
}

describe("[U5] colours of code", () => {
  it("[U5] each part has its kind, and nothing is lost", async () => {
    const code = 'def f(x):  # note\n    return "a" + 1.5\n';
    expect(parts(code, await highlightCode(code, "python"))).toEqual([
      ["keyword", "def"],
      ["plain", " "],
      ["function", "f"],
      ["plain", "(x):  "],
      ["comment", "# note"],
      ["plain", "\n    "],
      ["keyword", "return"],
      ["plain", " "],
      ["string", '"a"'],
      ["plain", " + "],
      ["number", "1.5"],
      ["plain", "\n"],
    ]);
  });

  it.each(Object.keys(LANGUAGES))("[U5] %s loads and covers the whole text", async (language) => {
    const code = 'a = "b" <!-- c -->\n// d\n# e\n{ "f": 1 } `g` $\u007bh}\n'.repeat(3);
    const runs = await highlightCode(code, language);
    expect(
      parts(code, runs)
        .map(([, text]) => text)
        .join(""),
    ).toBe(code);
  });

  it("[U5] languages are known by the names that models write", () => {
    expect(["js", "TS", "py", "sh", "c++", "html", "yml", "jsx title=x", "python{1,2}"].map(languageOf)).toEqual([
      "javascript",
      "typescript",
      "python",
      "bash",
      "cpp",
      "xml",
      "yaml",
      "javascript",
      "python",
    ]);
    expect(["", "unknown", "__proto__", "constructor"].map(languageOf)).toEqual([null, null, null, null]);
    expect(languageLabel("unknown x=1")).toBe("unknown");
  });
});

/** A worker that answers when told to. */
class ScriptedWorker implements HighlightWorker {
  onmessage: HighlightWorker["onmessage"] = null;
  onerror: HighlightWorker["onerror"] = null;
  readonly requests: HighlightRequest[] = [];
  terminated = false;

  postMessage(request: HighlightRequest): void {
    this.requests.push(request);
  }

  terminate(): void {
    this.terminated = true;
  }

  answer(runs: Runs | null): void {
    const request = this.requests.at(-1);
    const data: HighlightAnswer = { id: request?.id ?? 0, runs };
    this.onmessage?.call(this as unknown as Worker, new MessageEvent("message", { data }));
  }
}

describe("[U5] the highlighter", () => {
  it("[U5] asks for one block at a time and remembers the answer", () => {
    const worker = new ScriptedWorker();
    const highlighter = new Highlighter(() => worker);
    const answers: unknown[] = [];
    highlighter.request("a", "python", (runs) => answers.push(["a", runs]));
    highlighter.request("b", "python", (runs) => answers.push(["b", runs]));
    const cancel = highlighter.request("c", "python", (runs) => answers.push(["c", runs]));
    expect(worker.requests.map((request) => request.code)).toEqual(["a"]);
    worker.answer([0, 1]);
    cancel();
    worker.answer(null);
    expect(worker.requests.map((request) => request.code)).toEqual(["a", "b"]);
    expect(answers).toEqual([
      ["a", [0, 1]],
      ["b", null],
    ]);
    expect(highlighter.known("a", "python")).toEqual([0, 1]);
    expect(highlighter.known("b", "python")).toBeNull();
  });

  it("[U5] a grammar that takes too long is given up with its worker", async () => {
    const workers: ScriptedWorker[] = [];
    const highlighter = new Highlighter(() => {
      const worker = new ScriptedWorker();
      workers.push(worker);
      return worker;
    }, 5);
    const first = await new Promise((done) => highlighter.request("slow", "python", done));
    expect(first).toBeNull();
    expect(workers[0]?.terminated).toBe(true);
    const second = new Promise((done) => highlighter.request("quick", "python", done));
    workers[1]?.answer([0, 5]);
    expect(await second).toEqual([0, 5]);
  });

  it("[U5] without workers code stays plain", async () => {
    const highlighter = new Highlighter(() => null);
    expect(await new Promise((done) => highlighter.request("a", "python", done))).toBeNull();
  });
});
