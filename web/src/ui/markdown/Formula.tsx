import { memo, useEffect, useRef, useState } from "react";
import { isDrawable } from "./formula";
import { pageTime } from "./timeSlice";

interface FormulaProps {
  readonly tex: string;
  /** As it was written, signs included: what is shown until it is drawn, and what copying gives. */
  readonly source: string;
  readonly display: boolean;
  /** False while its closing sign has not come: then it is shown as source. */
  readonly closed: boolean;
}

/** A formula, drawn when there is time. Where TeX does not understand it, its source stays. */
export const Formula = memo(function Formula({ tex, source, display, closed }: FormulaProps) {
  const target = useRef<HTMLSpanElement>(null);
  const [drawn, setDrawn] = useState<string | null>(null);
  const [problem, setProblem] = useState("");
  const wanted = closed && isDrawable(tex);
  useEffect(() => {
    if (!wanted) return;
    let cancel: () => void = () => {};
    let unmounted = false;
    void import("./katex").then(({ drawFormula }) => {
      if (unmounted) return;
      cancel = pageTime.run(() => {
        if (!target.current) return;
        try {
          drawFormula(target.current, tex, display);
          setDrawn(tex);
          setProblem("");
        } catch (error) {
          target.current.replaceChildren();
          setDrawn(null);
          setProblem(error instanceof Error ? error.message : String(error));
        }
      });
    });
    return () => {
      unmounted = true;
      cancel();
    };
  }, [wanted, tex, display]);
  const isDrawn = wanted && drawn === tex;
  return (
    <span className="tf-md-formula" data-display={display} data-drawn={isDrawn} dir="ltr" title={problem || undefined}>
      <span className="tf-md-formula-source" aria-hidden={isDrawn}>
        {source}
      </span>
      <span className="tf-md-formula-drawn" ref={target} />
    </span>
  );
});
