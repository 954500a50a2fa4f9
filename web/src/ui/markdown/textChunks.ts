/**
 * Cuts long text into pieces at line ends, so that a text that grows changes only its last piece on screen. The pieces of
 * a text are the first pieces of every text that goes on from it, but for the last.
 */
const CHUNK_CHARACTERS = 4_096;

export function textChunks(text: string): readonly string[] {
  const chunks: string[] = [];
  let start = 0;
  while (text.length - start > CHUNK_CHARACTERS) {
    const lineEnd = text.lastIndexOf("\n", start + CHUNK_CHARACTERS - 1) + 1;
    const end = lineEnd > start ? lineEnd : wholeCharacterEnd(text, start + CHUNK_CHARACTERS);
    chunks.push(text.slice(start, end));
    start = end;
  }
  chunks.push(text.slice(start));
  return chunks;
}

function wholeCharacterEnd(text: string, end: number): number {
  const code = text.charCodeAt(end);
  return code >= 0xdc00 && code <= 0xdfff ? end + 1 : end;
}
