/** What may become of a message that is more, with all before it, than the model can take in (C7). */
import { TEST_IDS } from "./testIds";

/** `trim`: the oldest turns are left out this time; `send`: all of it goes. */
export type WhenFull = "trim" | "send";

export const FULL_CHOICES: readonly { readonly whenFull: WhenFull; readonly label: string; readonly testId: string }[] =
  [
    { whenFull: "trim", label: "Leave out the oldest turns", testId: TEST_IDS.leaveOut },
    { whenFull: "send", label: "Send all the same", testId: TEST_IDS.sendAll },
  ];

/** What else may become of a message that is new: it is said in a new chat, after the newest turns that fit. */
export const BRANCH_CHOICE = { whenFull: "branch", label: "Go on in a branch", testId: TEST_IDS.goOnInBranch } as const;
