import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { chat, message, run, sticky } from "../../testRecords";
import type { MessageRecord, NodeId, WireRecord } from "../../wire/generated";
import { MessageList } from "./MessageList";
import { ParametersButton } from "./ParametersButton";

const n1 = "n1" as NodeId;

function shown(...records: WireRecord[]) {
  const client = setUpClient([chat(), ...records]);
  render(<MessageList node={n1} />, { wrapper: client.Wrapper });
  return client;
}

const reply = (fields: Partial<MessageRecord> = {}) =>
  message({ role: "assistant", content: "Hello", finish: "stop", ...fields } as Parameters<typeof message>[0]);

describe("what is told of a reply", () => {
  it("[U1] shows what was sent for it by source, and what was left out and why", async () => {
    shown(
      sticky({ title: "My notes" }),
      reply({
        usage: { inputTokens: 1_234, outputTokens: 5, cacheReadTokens: 1_000 },
        receipt: {
          turns: 2,
          parts: [
            { source: "system", count: 1, tokens: 3 },
            { source: "you", count: 2, tokens: 20 },
            { source: "links", count: 1, tokens: 7, names: ["s1"] },
            { source: "files", count: 1, names: ["plan.pdf"] },
          ],
          leftOut: [{ what: "Notes", why: "they are for you alone", count: 2 }],
          temperature: 0.5,
        },
      }),
    );
    await userEvent.click(screen.getByTestId(TEST_IDS.receiptOpen));
    const rows = screen.getAllByRole("row").map((row) => row.textContent);
    expect(rows).toEqual([
      "PartTokens, about",
      "System prompt~3",
      "2 messages of yours~20",
      "Linked textMy notes~7",
      "Fileplan.pdfnot known",
      "In all, by the provider’s count1,234",
    ]);
    const receipt = screen.getByTestId(TEST_IDS.receipt).textContent;
    expect(receipt).toContain("1,000 of them from the provider’s cache");
    expect(receipt).toContain("With temperature 0.5");
    expect(receipt).toContain("2 × Notes: they are for you alone");
  });

  it("[U1] tells how long it took, and how long it thought", () => {
    shown(
      reply({
        thinking: "hm",
        usage: { inputTokens: 1, outputTokens: 100 },
        timing: { totalMs: 4_000, firstMs: 2_000, thinkingMs: 1_500 },
      }),
    );
    expect(screen.getByTestId(TEST_IDS.timing).title).toBe("Took 4 s, first word after 2 s, then 50 tokens a second");
    expect(screen.getByTestId(TEST_IDS.thinking).textContent).toBe("Thought for 1.5 s");
  });

  it("[U1] lets the last of a long thought be seen passing while it is folded", () => {
    shown(message({ role: "assistant", ts: Date.now(), thinking: `first ${"x".repeat(300)} last words` }), run());
    const peek = screen.getByTestId(TEST_IDS.thinkingPeek).textContent;
    expect(peek).toMatch(/last words$/);
    expect(peek).not.toContain("first");
  });

  it("[D6] says why nothing comes yet, and counts down to the next try", () => {
    shown(message({ role: "assistant" }), run({ phase: "retrying", retryAt: Date.now() + 4_900, detail: "Too busy." }));
    expect(screen.getByTestId(TEST_IDS.retrying).textContent).toBe("Too busy. Trying again in 5 s.");
  });

  it("[U11] shows a message's files, pictures from this Talkfield alone", () => {
    const files = [
      { id: "f1", name: "a.png", mediaType: "image/png", sizeBytes: 1_200, digest: "abc" },
      { id: "f2", name: "b.pdf", mediaType: "application/pdf", sizeBytes: 3_400_000, digest: "def" },
    ];
    shown(message({ role: "user", content: "", attachments: files }));
    const chips = screen.getAllByTestId(TEST_IDS.file);
    expect(chips.map((chip) => chip.textContent)).toEqual(["a.png1.2 kB", "b.pdf3.4 MB"]);
    expect(chips[0]?.querySelector("img")?.getAttribute("src")).toBe("/api/attachments/abc?name=a.png");
    expect(chips[1]?.querySelector("img")).toBeNull();
  });
});

describe("ParametersButton", () => {
  it("[U1] sets what is wanted, all at once, and takes it back when a field is emptied", async () => {
    const data = { kind: "chat", parameters: { effort: "low", temperature: 1 } } as const;
    const { Wrapper, sent } = setUpClient([chat({ data })]);
    render(<ParametersButton node={n1} />, { wrapper: Wrapper });
    const button = screen.getByTestId(TEST_IDS.parameters);
    expect(button.getAttribute("aria-label")).toBe("Parameters: temperature 1, effort low");
    await userEvent.click(button);
    await userEvent.type(screen.getByLabelText("Most tokens of an answer"), "500{Enter}");
    await userEvent.clear(screen.getByLabelText("Temperature"));
    await userEvent.tab();
    await userEvent.selectOptions(screen.getByLabelText("Effort"), "high");
    expect(sent()).toEqual([
      { do: "configureChat", node: n1, parameters: { effort: "low", temperature: 1, maxOutputTokens: 500 } },
      { do: "configureChat", node: n1, parameters: { effort: "low", maxOutputTokens: 500 } },
      { do: "configureChat", node: n1, parameters: { effort: "high", maxOutputTokens: 500 } },
    ]);
  });

  it("[U1] keeps top p, stop sequences and a seed under More, and sends them with what is set", async () => {
    const data = { kind: "chat", parameters: { temperature: 1 } } as const;
    const { Wrapper, sent } = setUpClient([chat({ data })]);
    render(<ParametersButton node={n1} />, { wrapper: Wrapper });
    await userEvent.click(screen.getByTestId(TEST_IDS.parameters));
    await userEvent.click(screen.getByText("More"));
    await userEvent.type(screen.getByLabelText("Top p"), "0.9{Enter}");
    await userEvent.type(screen.getByLabelText("Stop at"), "END{Enter}\\n\\n");
    await userEvent.tab();
    await userEvent.type(screen.getByLabelText("Seed"), "7{Enter}");
    const parameters = { temperature: 1, topP: 0.9, stopSequences: ["END", "\n\n"] };
    expect(sent().slice(-2)).toEqual([
      { do: "configureChat", node: n1, parameters },
      { do: "configureChat", node: n1, parameters: { ...parameters, seed: 7 } },
    ]);
  });

  it("[U1] tells all that is set, and takes it back at once", async () => {
    const parameters = { topP: 0.9, stopSequences: ["\n\n"], seed: 0 };
    const { Wrapper, sent } = setUpClient([chat({ data: { kind: "chat", parameters } })]);
    render(<ParametersButton node={n1} />, { wrapper: Wrapper });
    const button = screen.getByTestId(TEST_IDS.parameters);
    expect(button.getAttribute("aria-label")).toBe('Parameters: top p 0.9, stop at "\\n\\n", seed 0');
    await userEvent.click(button);
    expect(screen.getByLabelText<HTMLTextAreaElement>("Stop at").value).toBe("\\n\\n");
    await userEvent.click(screen.getByText("Reset"));
    expect(sent()).toEqual([{ do: "configureChat", node: n1, parameters: {} }]);
  });

  it("[X5] tells of too many texts to stop at, and does not send them", async () => {
    const { Wrapper, sent } = setUpClient([chat()]);
    render(<ParametersButton node={n1} />, { wrapper: Wrapper });
    await userEvent.click(screen.getByTestId(TEST_IDS.parameters));
    await userEvent.type(screen.getByLabelText("Stop at"), "a{Enter}b{Enter}c{Enter}d{Enter}e");
    await userEvent.tab();
    expect(screen.getByRole("alert").textContent).toBe("At most 4 texts of 100 characters");
    expect(sent()).toEqual([]);
  });

  it("[X5] tells what is out of bounds and does not send it", async () => {
    const { Wrapper, sent } = setUpClient([chat()]);
    render(<ParametersButton node={n1} />, { wrapper: Wrapper });
    await userEvent.click(screen.getByTestId(TEST_IDS.parameters));
    await userEvent.type(screen.getByLabelText("Temperature"), "3{Enter}");
    expect(screen.getByRole("alert").textContent).toBe("A number from 0 to 2");
    expect(sent()).toEqual([]);
  });
});
