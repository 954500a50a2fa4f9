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

/** Menus with links: mermaid makes them with inline handlers, and a picture cannot open them. */
const HAS_MENUS = /^\s*(?:links?|properties|details)\s+[^:\n]{1,200}:/m;

// A picture has no access to the page's fonts, so the text must be measured in one that every system has.
const FONTS = "ui-sans-serif, system-ui, sans-serif";

/** The application's palette, which a picture cannot read from the page. */
const COLOURS = {
  light: {
    background: "#f5f6f8",
    primaryColor: "#e3e7fb",
    primaryBorderColor: "#8f9be6",
    primaryTextColor: "#1b2027",
    secondaryColor: "#d8efdf",
    tertiaryColor: "#fbefc4",
    lineColor: "#515b68",
    textColor: "#1b2027",
    noteBkgColor: "#fdf2c3",
    noteTextColor: "#1b2027",
    noteBorderColor: "#e0c766",
    edgeLabelBackground: "#f5f6f8",
  },
  dark: {
    background: "#15181c",
    primaryColor: "#2b3150",
    primaryBorderColor: "#6674c4",
    primaryTextColor: "#e6e9ee",
    secondaryColor: "#20402d",
    tertiaryColor: "#443c1a",
    lineColor: "#aab3bf",
    textColor: "#e6e9ee",
    noteBkgColor: "#3d3617",
    noteTextColor: "#e6e9ee",
    noteBorderColor: "#7a6a2a",
    edgeLabelBackground: "#15181c",
  },
} as const;

/** The word with which a person would refuse `source`, or null. */
export function refusal(source: string): string | null {
  if (source.length > MAX_DIAGRAM_CHARACTERS) return "This diagram is too large to draw.";
  const hasMenus = source.includes("sequenceDiagram") && HAS_MENUS.test(source);
  return hasMenus || ASKS_OUTSIDE.test(source) ? "This diagram asks for outside content, so it is not drawn." : null;
}

const REMEMBERED = 30;
const remembered = new Map<string, Picture>();
let queue: Promise<unknown> = Promise.resolve();
let lastNumber = 0;

/**
 * The picture of `source`. Rejects with `DiagramProblem` where there is none, and never settles after `signal` aborted
 * before its turn came.
 */
export function drawDiagram(source: string, scheme: ColourScheme, signal: AbortSignal): Promise<Picture> {
  const refused = refusal(source);
  if (refused) return Promise.reject(new DiagramProblem(refused));
  const key = `${scheme}\n${source}`;
  const known = remembered.get(key);
  if (known) return Promise.resolve(known);
  return new Promise((resolve, reject) => {
    queue = queue.then(async () => {
      if (signal.aborted) return;
      try {
        const picture = await drawNow(source, scheme);
        remember(key, picture);
        resolve(picture);
      } catch (error) {
        reject(error);
      }
      // The page gets a turn between two diagrams.
      await new Promise((done) => setTimeout(done, 50));
    });
  });
}

function remember(key: string, picture: Picture): void {
  const oldest = remembered.keys().next();
  if (remembered.size >= REMEMBERED && !oldest.done) remembered.delete(oldest.value);
  remembered.set(key, picture);
}

async function drawNow(source: string, scheme: ColourScheme): Promise<Picture> {
  const { default: mermaid } = await import("mermaid");
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    logLevel: "fatal",
    htmlLabels: false,
    theme: "base",
    themeVariables: { ...COLOURS[scheme], darkMode: scheme === "dark", fontSize: "15px" },
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
    const picture = safePicture(svg, stage.rules);
    if (!picture) throw new DiagramProblem("This diagram could not be drawn.");
    return picture;
  } catch (error) {
    if (error instanceof DiagramProblem) throw error;
    const words = error instanceof Error ? error.message : String(error);
    throw new DiagramProblem(`This diagram has a mistake: ${words.split("\n", 1)[0]}`);
  } finally {
    stage.remove();
  }
}

/**
 * Where mermaid measures while it draws. Mermaid puts a style element into its drawing, which the page's content security
 * policy refuses and reports; here it never gets there, and takes effect as a constructed sheet until the drawing is done.
 */
class Stage {
  readonly element = document.createElement("div");
  /** The style rules of the drawing. */
  rules = "";
  readonly #sheet = new CSSStyleSheet();
  readonly #mark = document.createElement("span");

  constructor() {
    // Cytoscape, which lays out some kinds of diagrams, adds a style element of its own unless one has this id.
    this.#mark.id = "__________cytoscape_stylesheet";
    this.#mark.hidden = true;
    this.element.className = "tf-md-diagram-stage";
    this.element.setAttribute("aria-hidden", "true");
    this.#watch(this.element);
    document.body.append(this.#mark, this.element);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.#sheet];
  }

  remove(): void {
    this.#mark.remove();
    this.element.remove();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.#sheet);
  }

  /** Follows what is put into `parent`, down to the drawing that the style element goes into. */
  #watch(parent: Element): void {
    const append = parent.appendChild.bind(parent);
    const insert = parent.insertBefore.bind(parent);
    parent.appendChild = (child) => (this.#takes(child) ? child : append(child));
    parent.insertBefore = (child, before) => (this.#takes(child) ? child : insert(child, before));
  }

  #takes(child: Node): boolean {
    if (child instanceof HTMLStyleElement) {
      this.rules += child.textContent ?? "";
      this.#sheet.replaceSync(this.rules);
      return true;
    }
    if (child instanceof HTMLDivElement || child instanceof SVGSVGElement) this.#watch(child);
    return false;
  }
}
