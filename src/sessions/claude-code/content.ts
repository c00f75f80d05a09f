/** Text around the content of a message, which is most of a row and contains no usage. */
const CONTENT = Buffer.from('"content":[');
const CONTENT_END = Buffer.from('],"stop_reason":');
const CLOSE_LIST = 0x5d;
/** Only a few lists end after the content. */
const LISTS_MAX = 8;

/**
 * Returns the end of the content list that starts at `start`; −1 = not found. Quotes in text are escaped, so a match is JSON
 * structure. If it is the end of another list, the rest does not parse or has no usage.
 */
export function contentEnd(bytes: Buffer, start: number, end: number): number {
  let at = end;
  for (let tries = 0; tries < LISTS_MAX; tries++) {
    // Searching backwards for one byte is many times faster than for several.
    at = bytes.lastIndexOf(CLOSE_LIST, at - 1);
    if (at <= start) return -1;
    if (isEnd(bytes, at)) return at;
  }
  return -1;
}

/** Returns a row's text without its content; null = no content was found. */
export function withoutContent(line: Buffer): string | null {
  const content = line.indexOf(CONTENT);
  if (content === -1) return null;
  const from = content + CONTENT.length;
  const to = contentEnd(line, from - 1, line.length);
  return to === -1 ? null : line.toString('utf8', 0, from) + line.toString('utf8', to);
}

function isEnd(bytes: Buffer, at: number): boolean {
  for (let index = 1; index < CONTENT_END.length; index++) if (bytes[at + index] !== CONTENT_END[index]) return false;
  return true;
}
