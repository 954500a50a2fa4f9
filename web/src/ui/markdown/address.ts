/** Which addresses of model text may become links or images. Everything else stays text (X3). */

const LINK_SCHEMES = new Set(["http:", "https:", "mailto:"]);
const RASTER_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=\s]+$/i;

/** The full destination as the browser would open it, or null where a click must do nothing. */
export function linkAddress(address: string): string | null {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    // No scheme or no host: there is nothing outside this page that it names.
    return null;
  }
  return LINK_SCHEMES.has(url.protocol) ? url.href : null;
}

/** True for pictures that carry their own bytes and cannot hold script: nothing is fetched to show them. */
export function isRasterDataImage(address: string): boolean {
  return RASTER_IMAGE.test(address);
}
