/** Colours code beside the page: however long a grammar takes, the page goes on. */
import type { Runs } from "./codeKinds";
import { highlightCode } from "./highlight";

export interface HighlightRequest {
  readonly id: number;
  readonly code: string;
  readonly language: string;
}

export interface HighlightAnswer {
  readonly id: number;
  readonly runs: Runs | null;
}

self.onmessage = async ({ data }: MessageEvent<HighlightRequest>) => {
  let runs: Runs | null = null;
  try {
    runs = await highlightCode(data.code, data.language);
  } finally {
    self.postMessage({ id: data.id, runs } satisfies HighlightAnswer);
  }
};
