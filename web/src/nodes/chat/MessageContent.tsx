import styles from "./MessageView.module.css";

interface MessageContentProps {
  readonly text: string;
  readonly streaming: boolean;
}

/** Model text, as it came. */
export function MessageContent({ text }: MessageContentProps) {
  return <PlainText text={text} />;
}

/** Text exactly as it was written: what a person typed is shown like this. */
export function PlainText({ text }: { readonly text: string }) {
  return <div className={styles.plain}>{text}</div>;
}
