import { memo, useEffect, useState } from "react";
import { Button } from "../Button";
import { CodeBlock } from "./CodeBlock";
import { useColourScheme } from "./colourScheme";
import { drawDiagram, type Picture } from "./diagram";

interface DiagramProps {
  readonly source: string;
  readonly info: string;
}

interface Shown {
  readonly address: string;
  readonly picture: Picture;
}

const MIN_SCALE = 0.65;

/** A mermaid diagram, drawn once its fence is closed; its source is one click away, and stays where it cannot be drawn. */
export const Diagram = memo(function Diagram({ source, info }: DiagramProps) {
  const scheme = useColourScheme();
  const [shown, setShown] = useState<Shown | null>(null);
  const [problem, setProblem] = useState("");
  const [asSource, setAsSource] = useState(false);
  useEffect(() => {
    let address = "";
    let isCurrent = true;
    drawDiagram(source, scheme).then(
      (picture) => {
        if (!isCurrent) return;
        address = URL.createObjectURL(new Blob([picture.svg], { type: "image/svg+xml" }));
        setShown({ address, picture });
        setProblem("");
      },
      (error: Error) => {
        if (!isCurrent) return;
        setShown(null);
        setProblem(error.message);
      },
    );
    return () => {
      isCurrent = false;
      if (address) URL.revokeObjectURL(address);
    };
  }, [source, scheme]);
  const toggle = (
    <Button look="quiet" size="small" aria-pressed={asSource} onClick={() => setAsSource(!asSource)}>
      {asSource ? "Diagram" : "Source"}
    </Button>
  );
  if (!shown || asSource) {
    return (
      <>
        <CodeBlock text={source} info={info} growing={false} actions={shown && toggle} />
        {problem && <p className="tf-md-note">{problem}</p>}
      </>
    );
  }
  const { address, picture } = shown;
  return (
    <figure className="tf-md-diagram">
      <div className="tf-md-code-bar">
        <span className="tf-md-code-label">Diagram</span>
        {toggle}
      </div>
      <div className="tf-md-diagram-picture">
        <img
          src={address}
          width={picture.width}
          height={picture.height}
          // A wide one is scrolled rather than shrunk until nobody can read it.
          style={{ minWidth: picture.width * MIN_SCALE }}
          alt={`Diagram: ${firstLine(source)}`}
        />
      </div>
    </figure>
  );
});

function firstLine(source: string): string {
  return source.trimStart().split("\n", 1)[0]?.slice(0, 120) ?? "";
}
