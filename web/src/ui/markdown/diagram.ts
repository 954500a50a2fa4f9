/**
 * Draws mermaid diagrams as pictures. A picture runs no script, follows no link and fetches nothing, whatever the model
 * wrote (X3). Mermaid is loaded with the first diagram; one diagram is drawn at a time, because mermaid's settings are
 * those of the whole page.
 */
import { MAX_DIAGRAM_CHARACTERS, MAX_DIAGRAM_EDGES } from "./limits";
import { safePicture } from "./safePicture";

export type ColourScheme = "light" | "dark";

export interface Picture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

/** Why a diagram stays source; `message` is for people. */
export class DiagramProblem extends Error {}

/** Ways in which a diagram asks for something from outside itself. */
const ASKS_OUTSIDE = /url\s*\(|@import|\bimg\s*:|\bsrc\s*=|<\s*(?:img|image|script|iframe|object|embed|link|style)\b/i;

// A picture has no access to the page's fonts, so the text must be measured in one that every system has.
const FONTS = "ui-sans-serif, system-ui, sans-serif";

/** The word with which a person would refuse `source`, or null. */
export function refusal(source: string): string | null {
  if (source.length > MAX_DIAGRAM_CHARACTERS) return "This diagram is too large to draw.";
  return ASKS_OUTSIDE.test(source) ? "This diagram asks for outside content, so it is not drawn." : null;
}

let queue: Promise<unknown> = Promise.resolve();
let lastNumber = 0;

/** The picture of `source`. Throws `DiagramProblem` where there is none. */
export function drawDiagram(source: string, scheme: ColourScheme): Promise<Picture> {
  const refused = refusal(source);
  if (refused) return Promise.reject(new DiagramProblem(refused));
  const drawing = queue.then(() => drawNow(source, scheme));
  queue = drawing.catch(() => {});
  return drawing;
}

async function drawNow(source: string, scheme: ColourScheme): Promise<Picture> {
  const { default: mermaid } = await import("mermaid");
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    logLevel: "fatal",
    htmlLabels: false,
    theme: scheme === "dark" ? "dark" : "default",
    fontFamily: FONTS,
    maxTextSize: MAX_DIAGRAM_CHARACTERS,
    maxEdges: MAX_DIAGRAM_EDGES,
    // What a diagram's own settings may not change.
    secure: [
      "secure",
      "securityLevel",
      "startOnLoad",
      "maxTextSize",
      "maxEdges",
      "suppressErrorRendering",
      "htmlLabels",
      "themeCSS",
      "fontFamily",
      "altFontFamily",
      "dompurifyConfig",
      "logLevel",
    ],
  });
  const stage = new Stage();
  try {
    const { svg } = await mermaid.render(`tf-diagram-${++lastNumber}`, source, stage.element);
    const picture = safePicture(svg);
    if (!picture) throw new DiagramProblem("This diagram could not be drawn.");
    return picture;
  } catch (error) {
    if (error instanceof DiagramProblem) throw error;
    throw new DiagramProblem(`This diagram has a mistake: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    stage.remove();
  }
}

/**
 * Where mermaid measures while it draws. Mermaid puts a style element into its drawing, which the page's content security
 * policy refuses; here it goes in as plain data, and takes effect as a constructed sheet until the drawing is done.
 */
class Stage {
  readonly element = document.createElement("div");
  #sheet: CSSStyleSheet | null = null;

  constructor() {
    this.element.className = "tf-md-diagram-stage";
    this.element.setAttribute("aria-hidden", "true");
    this.#watch(this.element);
    document.body.append(this.element);
  }

  remove(): void {
    this.element.remove();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.#sheet);
  }

  /** Follows what is put into `parent`, down to the drawing that the style element goes into. */
  #watch(parent: Element): void {
    const append = parent.appendChild.bind(parent);
    const insert = parent.insertBefore.bind(parent);
    parent.appendChild = (child) => {
      this.#receive(child);
      return append(child);
    };
    parent.insertBefore = (child, before) => {
      this.#receive(child);
      return insert(child, before);
    };
  }

  #receive(child: Node): void {
    if (child instanceof HTMLStyleElement) {
      child.setAttribute("type", "text/plain");
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(child.textContent ?? "");
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
      this.#sheet = sheet;
    } else if (child instanceof HTMLDivElement || child instanceof SVGSVGElement) this.#watch(child);
  }
}
