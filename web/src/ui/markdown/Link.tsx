import { type KeyboardEvent, type MouseEvent, type ReactNode, useContext } from "react";
import { isRasterDataImage, linkAddress } from "./address";
import { ShowLinkContext } from "./contexts";
import { MAX_DATA_IMAGE_CHARACTERS } from "./limits";

interface AddressButtonProps {
  readonly address: string;
  readonly title: string;
  readonly className: string;
  readonly children: ReactNode;
}

/**
 * Something that leads to an address of the model's choice. It has no `href`: browsers look up the hosts of links on a
 * plain HTTP page before anyone clicks, and that would tell the host's owner something (X3).
 */
function AddressButton({ address, title, className, children }: AddressButtonProps) {
  const show = useContext(ShowLinkContext);
  const onClick = (event: MouseEvent<HTMLElement>) => {
    event.preventDefault();
    show(address, event.currentTarget);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    show(address, event.currentTarget);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an anchor with an address would be looked up before it is clicked.
    <span
      role="link"
      tabIndex={0}
      className={className}
      title={title ? `${address}\n${title}` : address}
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      {children}
    </span>
  );
}

interface LinkProps {
  readonly href: string;
  readonly title: string;
  readonly children: ReactNode;
}

/** A link whose full address is shown before it opens; text where its address must not be opened. */
export function Link({ href, title, children }: LinkProps) {
  const address = linkAddress(href);
  if (address === null) {
    return (
      <>
        [{children}]({href})
      </>
    );
  }
  return (
    <AddressButton address={address} title={title} className="tf-md-link">
      {children}
    </AddressButton>
  );
}

interface ImageProps {
  readonly src: string;
  readonly alt: string;
  readonly title: string;
}

/** A picture that carries its own bytes; of any other, what it is called and where it would come from (X3). */
export function Image({ src, alt, title }: ImageProps) {
  if (isRasterDataImage(src) && src.length <= MAX_DATA_IMAGE_CHARACTERS) {
    return <img className="tf-md-image" src={src} alt={alt} title={title || undefined} />;
  }
  const address = linkAddress(src);
  if (address === null) {
    return (
      <>
        ![{alt}]({src})
      </>
    );
  }
  return (
    <AddressButton address={address} title={title} className="tf-md-image-link">
      <span className="tf-md-image-alt">{alt || "Image"}</span> <span className="tf-md-image-address">{address}</span>
    </AddressButton>
  );
}
