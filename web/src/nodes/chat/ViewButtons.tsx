import { ChevronDown, ChevronUp, Maximize2 } from "lucide-react";
import { useFullScreen } from "../../canvas/useFullScreen";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { IconButton } from "../../ui/Button";
import type { NodeId } from "../../wire/generated";

interface ViewButtonsProps {
  readonly node: NodeId;
  readonly folded: boolean;
}

/** How much of a chat is seen: its header alone, all of it, or all of it over the whole window (U6). */
export function ViewButtons({ node, folded }: ViewButtonsProps) {
  const { ask, fullScreen } = useTalkfield();
  if (useFullScreen() === node) return null;
  const words = folded ? "Unfold" : "Fold to the header";
  return (
    <>
      <IconButton
        small
        label={words}
        title={`${words} (H)`}
        className="nodrag"
        aria-expanded={!folded}
        data-testid={TEST_IDS.fold}
        onClick={() => void ask({ do: "foldChats", nodes: [node], folded: !folded })}
      >
        {folded ? <ChevronDown size={15} /> : <ChevronUp size={15} />}
      </IconButton>
      <IconButton
        small
        label="Full screen"
        title="Full screen (O)"
        className="nodrag"
        data-testid={TEST_IDS.fullScreenOpen}
        onClick={() => fullScreen.show(node)}
      >
        <Maximize2 size={13} />
      </IconButton>
    </>
  );
}
