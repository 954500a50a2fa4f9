import { Popover } from "radix-ui";
import { useRef } from "react";
import { Button } from "../Button";
import { copyText } from "../copyText";

interface LinkPanelProps {
  readonly address: string;
  /** What was clicked: the panel stands beside it, and gives the focus back to it. */
  readonly from: HTMLElement;
  readonly onClose: () => void;
}

/** The full address of a link, before it opens. Enter, or a second click on the link, opens it in a new tab. */
export function LinkPanel({ address, from, onClose }: LinkPanelProps) {
  const anchor = useRef(from);
  anchor.current = from;
  const open = useRef<HTMLAnchorElement>(null);
  const { before, host, after } = partsOf(address);
  return (
    <Popover.Root open onOpenChange={(open) => !open && onClose()}>
      <Popover.Anchor virtualRef={anchor} />
      {/* In a modal window, nothing outside of it can be seen or reached. */}
      <Popover.Portal container={from.closest("dialog")}>
        <Popover.Content
          align="start"
          sideOffset={5}
          collisionPadding={8}
          aria-label="Open this address?"
          className="tf-md-link-panel nokey nodrag nopan nowheel"
          onOpenAutoFocus={(event) => {
            // Of itself the panel would choose a button: Enter is to open the address.
            event.preventDefault();
            open.current?.focus();
          }}
          onInteractOutside={(event) => {
            // The second click on the link itself means: open.
            if (event.target instanceof Node && from.contains(event.target)) event.preventDefault();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            from.focus({ preventScroll: true });
          }}
        >
          <p className="tf-md-link-address" dir="ltr">
            {before}
            <strong>{host}</strong>
            {after}
          </p>
          <div className="tf-md-link-actions">
            <a
              ref={open}
              className="tf-md-link-open"
              href={address}
              target="_blank"
              rel="noreferrer noopener"
              onClick={() => queueMicrotask(onClose)}
            >
              Open in a new tab
            </a>
            <Button look="quiet" size="small" onClick={() => void copyText(address).then(onClose)}>
              Copy address
            </Button>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** The host, which says where a link leads, apart from what could pose as it. */
function partsOf(address: string): { before: string; host: string; after: string } {
  const url = new URL(address);
  if (url.host === "") return { before: url.protocol, host: address.slice(url.protocol.length), after: "" };
  const credentials = url.username || url.password ? `${url.username}${url.password && `:${url.password}`}@` : "";
  const before = `${url.protocol}//${credentials}`;
  return { before, host: url.host, after: address.slice(before.length + url.host.length) };
}
