/** Files that the server makes; the browser asks where to keep them. */
import type { NodeId, ProjectId } from "../wire/generated";

export const EXPORT_FORMATS = [
  { format: "markdown", words: "Markdown" },
  { format: "html", words: "HTML, one page" },
  { format: "json", words: "JSON" },
] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number]["format"];

export function exportProject(project: ProjectId, format: ExportFormat): void {
  download(`/api/projects/${encodeURIComponent(project)}/export?format=${format}`);
}

export function exportNode(node: NodeId, format: ExportFormat): void {
  download(`/api/nodes/${encodeURIComponent(node)}/export?format=${format}`);
}

export function download(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}
