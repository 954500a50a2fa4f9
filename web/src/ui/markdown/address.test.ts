import { expect, it } from "vitest";
import { isRasterDataImage, linkAddress } from "./address";

it.each([
  ["https://example.com", "https://example.com/"],
  ["HTTP://Example.com/a b", "http://example.com/a%20b"],
  ["mailto:a@example.com", "mailto:a@example.com"],
  ["https://exаmple.com/", "https://xn--exmple-4nf.com/"],
])("[X3] %s leads to %s", (address, full) => {
  expect(linkAddress(address)).toBe(full);
});

it.each([
  "javascript:x()",
  " java\tscript:x()",
  "data:text/html,x",
  "vbscript:x",
  "file:///x",
  "/path",
  "//host",
  "",
  "x",
])("[X3] %s leads nowhere", (address) => {
  expect(linkAddress(address)).toBeNull();
});

it("[X3] only pictures of pixels are drawn from their own bytes", () => {
  expect(isRasterDataImage("data:image/png;base64,iVBORw0KGgo=")).toBe(true);
  expect(isRasterDataImage("DATA:IMAGE/WEBP;base64,AAAA")).toBe(true);
  for (const address of [
    "data:image/svg+xml;base64,AAAA",
    "data:image/png,<svg>",
    'data:image/png;base64,AAAA"><script>',
    "data:text/html;base64,AAAA",
    "https://example.com/data:image/png;base64,AAAA",
  ]) {
    expect(isRasterDataImage(address)).toBe(false);
  }
});
