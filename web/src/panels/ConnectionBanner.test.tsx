import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setUpClient } from "../testClient";
import { TEST_IDS } from "../testIds";
import { ConnectionBanner, QUIET_DROP_MS } from "./ConnectionBanner";

const banner = () => screen.queryByTestId(TEST_IDS.connectionBanner);
const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("ConnectionBanner", () => {
  it("[W6] says nothing of a drop that is over soon", () => {
    const { Wrapper, drop, reconnect } = setUpClient([]);
    render(<ConnectionBanner />, { wrapper: Wrapper });
    drop();
    pass(QUIET_DROP_MS - 500);
    reconnect();
    pass(60_000);
    expect(banner()).toBeNull();
  });

  it("[W6] tells of a longer one, and goes when it is over", () => {
    const { Wrapper, drop, reconnect } = setUpClient([]);
    render(<ConnectionBanner />, { wrapper: Wrapper });
    drop();
    pass(QUIET_DROP_MS);
    expect(banner()?.textContent).toContain("Reconnecting");
    reconnect();
    expect(banner()).toBeNull();
  });

  it("[X1] tells at once what it takes when it cannot help itself", () => {
    const { Wrapper, drop } = setUpClient([]);
    render(<ConnectionBanner />, { wrapper: Wrapper });
    drop(4003);
    expect(banner()?.textContent).toContain("talkfield open");
  });
});
