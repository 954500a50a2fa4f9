import { memo, type RefObject, useEffect, useRef, useState } from "react";
import { Button } from "../Button";
import { CodeBlock } from "./CodeBlock";
import { useColourScheme } from "./colourScheme";
import { drawDiagram, type Picture } from "./diagram";
import { MAX_DIAGRAM_CHARACTERS, MAX_UNASKED_DIAGRAM_CHARACTERS } from "./limits";

interface DiagramProps {
  readonly source: string;
  readonly info: string;
}

interface Shown {
  readonly address: string;
  readonly picture: Picture;
}

const MIN_SCALE = 0.65;

/**
 * A mermaid diagram, drawn once its fence is closed and it comes into sight, a long one when asked. Its source is one click
 * away, and stays where it cannot be drawn.
 */
export const Diagram = memo(function Diagram({ source, info }: DiagramProps) {
  const place = useRef<HTMLElement>(null);
  const isSeen = useSeen(place);
  const [askedFor, setAskedFor] = useState("");
  const isLong = source.length > MAX_UNASKED_DIAGRAM_CHARACTERS;
  const waits = isLong && source.length <= MAX_DIAGRAM_CHARACTERS && askedFor !== source;
  const [asSource, setAsSource] = useState(false);
  const { shown, problem } = useDrawing(source, isSeen && !waits);
  const toggle = shown ? (
    <Button look="quiet" size="small" aria-pressed={asSource} onClick={() => setAsSource(!asSource)}>
      {asSource ? "Diagram" : "Source"}
    </Button>
  ) : (
    waits && (
      <Button look="quiet" size="small" onClick={() => setAskedFor(source)}>
        Draw
      </Button>
    )
  );
  return (
    <figure ref={place} className="tf-md-diagram">
      {!shown || asSource ? (
        <CodeBlock text={source} info={info} growing={false} actions={toggle} />
      ) : (
        <>
          <div className="tf-md-code-bar">
            <span className="tf-md-code-label">Diagram</span>
            {toggle}
          </div>
          <div className="tf-md-diagram-picture">
            <img
              src={shown.address}
              width={shown.picture.width}
              height={shown.picture.height}
              // A wide one is scrolled rather than shrunk until nobody can read it.
              style={{ minWidth: shown.picture.width * MIN_SCALE }}
              alt={`Diagram: ${firstLine(source)}`}
            />
          </div>
        </>
      )}
      {problem && <figcaption className="tf-md-note">{problem}</figcaption>}
    </figure>
  );
});

/** True from the first time that the element is near what is in sight. */
function useSeen(place: RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(typeof IntersectionObserver === "undefined");
  useEffect(() => {
    if (isSeen || !place.current) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && setSeen(true),
      {
        rootMargin: "200px",
      },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isSeen, place]);
  return isSeen;
}

function useDrawing(source: string, wanted: boolean): { shown: Shown | null; problem: string } {
  const scheme = useColourScheme();
  const [shown, setShown] = useState<Shown | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    if (!wanted) return;
    const aborting = new AbortController();
    let address = "";
    drawDiagram(source, scheme, aborting.signal).then(
      (picture) => {
        if (aborting.signal.aborted) return;
        address = URL.createObjectURL(new Blob([picture.svg], { type: "image/svg+xml" }));
        setShown({ address, picture });
        setProblem("");
      },
      (error: Error) => {
        if (aborting.signal.aborted) return;
        setShown(null);
        setProblem(error.message);
      },
    );
    return () => {
      aborting.abort();
      // The picture may still be loading: an address that is gone by then would be an error.
      if (address) setTimeout(() => URL.revokeObjectURL(address), REVOKE_DELAY_MS);
    };
  }, [source, scheme, wanted]);
  return wanted ? { shown, problem } : { shown: null, problem: "" };
}

const REVOKE_DELAY_MS = 10_000;

function firstLine(source: string): string {
  return source.trimStart().split("\n", 1)[0]?.slice(0, 120) ?? "";
}
