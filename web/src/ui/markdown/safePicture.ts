/**
 * Makes of a drawing a picture file that holds shapes and words only. It is shown in an `<img>`, where a browser neither
 * runs script nor fetches; what is left out here could not do anything there either, and is left out all the same.
 */
import type { Picture } from "./diagram";

const SVG = "http://www.w3.org/2000/svg";
const XHTML = "http://www.w3.org/1999/xhtml";

const SHAPES = new Set(
  "svg g path rect circle ellipse line polyline polygon text tspan textpath defs marker title desc switch clippath mask pattern lineargradient radialgradient stop filter fegaussianblur feoffset fedropshadow femerge femergenode feflood fecomposite fecolormatrix symbol use foreignobject".split(
    " ",
  ),
);
const WORDS = new Set("div span p br b strong i em u s code sub sup small ul ol li".split(" "));
const MAX_ELEMENTS = 20_000;

/** The picture of `drawing` with the style `rules`. Null where there is none. */
export function safePicture(drawing: string, rules: string): Picture | null {
  const page = new DOMParser().parseFromString(drawing, "text/html");
  const svg = page.querySelector("svg");
  if (!svg) return null;
  const elements = [svg, ...svg.querySelectorAll("*")];
  if (elements.length > MAX_ELEMENTS) return null;
  for (const element of elements) clean(element);
  const [, , width = 0, height = 0] = (svg.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  if (!(width > 0) || !(height > 0)) return null;
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  svg.removeAttribute("style");
  const file = new XMLSerializer().serializeToString(svg);
  const start = file.indexOf(">") + 1;
  const style = reachesOut(rules) ? "" : `<style>${rules.replace(/&/g, "&amp;").replace(/</g, "&lt;")}</style>`;
  return { svg: file.slice(0, start) + style + file.slice(start), width, height };
}

function clean(element: Element): void {
  const name = element.localName.toLowerCase();
  const allowed = element.namespaceURI === XHTML ? WORDS : element.namespaceURI === SVG ? SHAPES : null;
  if (!allowed?.has(name)) {
    // A link's words stay, without the link.
    if (name === "a") element.replaceWith(...element.childNodes);
    else element.remove();
    return;
  }
  for (const { name: attribute, value } of [...element.attributes]) {
    const key = attribute.toLowerCase();
    const isReference = key === "href" || key === "xlink:href";
    // The serialiser writes the namespaces itself; one more would be a mistake in the file.
    const isNamespace = key === "xmlns" || key.startsWith("xmlns:");
    if (
      isNamespace ||
      key.startsWith("on") ||
      key === "src" ||
      (isReference && !value.startsWith("#")) ||
      reachesOut(value)
    ) {
      element.removeAttribute(attribute);
    }
  }
}

/** True for styles and values that name anything but a part of the same drawing. */
function reachesOut(value: string): boolean {
  return /@import|javascript:|\\/i.test(value) || /url\s*\(\s*(?!["']?#)/i.test(value);
}
