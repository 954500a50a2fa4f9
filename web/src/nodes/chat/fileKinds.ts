/** What kind of thing a file is to a model, by its type, as `core/attachment.py` has it; and who takes which; pure. */
import type { Attachment, FileKind, ModelInfo, ProviderRecord } from "../../wire/generated";

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function fileKind(mediaType: string): FileKind | null {
  const type = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (PICTURES.has(type)) return "image";
  if (type === "application/pdf") return "document";
  if (type.startsWith("audio/")) return "audio";
  return type.startsWith("text/") || type === "image/svg+xml" || /json|xml|yaml|toml|script|sql|x-sh/.test(type)
    ? "text"
    : null;
}

/** Whether it can be shown as it is. */
export function isPicture(file: Attachment): boolean {
  return fileKind(file.mediaType) === "image";
}

const KIND_WORDS: Readonly<Record<FileKind, string>> = {
  text: "text files",
  image: "images",
  document: "PDF files",
  audio: "sound",
};

/**
 * Why some of these files would not reach the model; empty where all would. What is not known to be refused is sent: a
 * provider says of its own dialect what it takes, and of a model only some do.
 */
export function filesNotTaken(
  files: readonly Attachment[],
  provider: ProviderRecord | undefined,
  model: ModelInfo | undefined,
): string {
  if (!provider) return "";
  const takes = model?.takes ?? provider.takes ?? ["text"];
  const refused = new Set<string>();
  for (const file of files) {
    const kind = fileKind(file.mediaType);
    if (kind && kind !== "text" && !takes.includes(kind)) refused.add(KIND_WORDS[kind]);
  }
  if (refused.size === 0) return "";
  const who = model?.takes ? model.name || model.id : provider.name;
  return `${who} takes no ${[...refused].join(" and no ")}: it will be told the name alone.`;
}
