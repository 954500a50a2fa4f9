import { useState } from "react";
import settings from "../Settings.module.css";
import { askToNotify, isNotifying, notifyState, setNotifying } from "./notify";

/** Whether the system tells of a card that waits while the page is out of sight (U7). */
export function NotifySwitch() {
  const [on, setOn] = useState(isNotifying());
  const state = notifyState();
  const change = async (wanted: boolean) => {
    const allowed = wanted && (await askToNotify());
    setNotifying(allowed);
    setOn(allowed);
  };
  return (
    <>
      <label className={settings.check}>
        <input
          type="checkbox"
          checked={on}
          disabled={state !== "possible"}
          onChange={(event) => void change(event.target.checked)}
        />
        Tell me by a notification of the system when a tool waits for me
      </label>
      {state === "refused" && (
        <p className={settings.about}>The browser was told not to show notifications of this page.</p>
      )}
      {state === "missing" && <p className={settings.about}>This browser has no notifications.</p>}
    </>
  );
}
