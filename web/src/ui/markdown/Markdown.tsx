/**
 * Draws model text as markdown, block by block as it grows. It never changes the text, runs nothing in it and fetches
 * nothing for it (U5, X3). Everything it holds can be rebuilt from `text`.
 */
import { useCallback, useEffect, useRef, useState } from "react";
import { Button } from "../Button";
import { DefinitionsContext, type ShowLink, ShowLinkContext } from "./contexts";
import { copySelection } from "./copySelection";
import { Group } from "./Group";
import { LinkPanel } from "./LinkPanel";
import { MESSAGE_PART_CHARACTERS, NEAR_GROUPS } from "./limits";
import { MarkdownStream } from "./markdownStream";
import "./markdown.css";

interface MarkdownProps {
  readonly text: string;
  /** True while more text may come: its end is then drawn as what it is about to become. */
  readonly streaming: boolean;
}

export default function Markdown({ text, streaming }: MarkdownProps) {
  const [stream] = useState(() => new MarkdownStream());
  const [parts, setParts] = useState(1);
  const [, setSteps] = useState(0);
  const shownLength = Math.min(text.length, parts * MESSAGE_PART_CHARACTERS);
  const isCut = shownLength < text.length;
  const shown = stream.update(isCut ? text.slice(0, shownLength) : text, streaming && !isCut);
  useEffect(() => {
    if (!shown.pending) return;
    const timer = setTimeout(() => setSteps((steps) => steps + 1));
    return () => clearTimeout(timer);
  }, [shown]);
  const [link, setLink] = useState<ShownLink | null>(null);
  const shownLink = useRef<ShownLink | null>(null);
  useEffect(() => {
    shownLink.current = link;
  }, [link]);
  const showLink = useCallback<ShowLink>((address, from) => {
    if (shownLink.current?.from !== from) return setLink({ address, from });
    window.open(address, "_blank", "noopener,noreferrer");
    setLink(null);
  }, []);
  const closeLink = useCallback(() => setLink(null), []);
  const lastGroup = shown.groups.length - 1;
  return (
    <div className="tf-markdown" onCopy={copySelection}>
      <DefinitionsContext value={shown.definitions}>
        <ShowLinkContext value={showLink}>
          {shown.groups.map((nodes, index) => (
            <Group
              key={String(index)}
              nodes={nodes}
              growing={shown.growing && index === lastGroup}
              isLast={index === lastGroup}
              isFar={index < lastGroup - NEAR_GROUPS}
            />
          ))}
        </ShowLinkContext>
      </DefinitionsContext>
      {isCut && (
        <p className="tf-md-note">
          {(text.length - shownLength).toLocaleString("en")} more characters of this reply are not shown.{" "}
          <Button size="small" onClick={() => setParts(parts + 1)}>
            Show more
          </Button>
        </p>
      )}
      {link && <LinkPanel address={link.address} from={link.from} onClose={closeLink} />}
    </div>
  );
}

/** The link whose address is shown, and what was clicked. */
interface ShownLink {
  readonly address: string;
  readonly from: HTMLElement;
}
