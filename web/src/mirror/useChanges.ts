import { useReducer, useRef } from "react";
import { useTalkfield } from "../Talkfield";
import type { Ack } from "../wire/generated";

type Change<Value> = (value: Value) => Value;

/**
 * A value of the server's that is sent as a whole and changed here in parts: a list of what is switched off, a chat's
 * parameters. It is shown as it will be, at once; and a change that follows while one before it is on its way takes
 * that along instead of undoing it (U10).
 *
 * `known` is what the server has said last; `send` sends a whole value, and has told the person when it is refused.
 * A change is applied again to each word of the server's until it is part of it: it says what is to be, never "the
 * other way round".
 */
export function useChanges<Value>(
  known: Value,
  send: (value: Value) => Promise<Ack | null>,
): readonly [value: Value, change: (change: Change<Value>) => void] {
  const { mirror } = useTalkfield();
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const underway = useRef<readonly Change<Value>[]>([]);
  const said = useRef(known);
  said.current = known;
  const asItWillBe = () => underway.current.reduce((value, change) => change(value), said.current);

  const change = async (next: Change<Value>) => {
    underway.current = [...underway.current, next];
    draw();
    try {
      const ack = await send(asItWillBe());
      if (ack) await mirror.whenApplied(ack.seq);
    } finally {
      underway.current = underway.current.filter((each) => each !== next);
      draw();
    }
  };
  return [asItWillBe(), (next) => void change(next)];
}
