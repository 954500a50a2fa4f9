/** What can be asked about several replies; each is a beginning, to be edited. */
const CITE = "Cite what you take from them by their numbers, as in [1].";

export const INSTRUCTIONS = [
  {
    name: "Synthesise",
    text: `Synthesise the numbered answers above into one: keep what they agree on, settle what they do not, leave out nothing that matters. ${CITE}`,
  },
  {
    name: "Debate",
    text: `Debate the numbered answers above: let each be argued for and against by the others' points, then say which points stand. ${CITE}`,
  },
  {
    name: "Vote",
    text: `Vote on the numbered answers above: judge each by correctness, completeness and clarity, rank them, and name the best one with your reasons. ${CITE}`,
  },
] as const;
