import { lazy, Suspense } from "react";
import styles from "./MessageView.module.css";

const Markdown = lazy(() => import("../../ui/markdown/Markdown"));

interface MessageContentProps {
  readonly text: string;
  readonly streaming: boolean;
}

/** Model text as markdown; as it is until the renderer has loaded. */
export function MessageContent({ text, streaming }: MessageContentProps) {
  return (
    <Suspense fallback={<PlainText text={text} />}>
      <Markdown text={text} streaming={streaming} />
    </Suspense>
  );
}

/** Text exactly as it was written: what a person typed is shown like this. */
export function PlainText({ text }: { readonly text: string }) {
  return <div className={styles.plain}>{text}</div>;
}
