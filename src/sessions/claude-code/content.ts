/** Around what was said, as Claude Code writes it: that is most of a row, and nothing of its usage. */
const CONTENT = Buffer.from('"content":[');
const CONTENT_END = Buffer.from('],"stop_reason":');
const CLOSE_LIST = 0x5d;
/** Behind what was said, few lists end. */
const LISTS_MAX = 8;

/**
 * Where the list of what was said ends that begins at `start`; −1 = not as expected. Quotes in text are escaped, so what is
 * found is structure. If it is the end of another list, the row does not close as it opened, or has no usage.
 */
export function contentEnd(bytes: Buffer, start: number, end: number): number {
  let at = end;
  for (let tries = 0; tries < LISTS_MAX; tries++) {
    // A single byte is found many times faster than several, backwards.
    at = bytes.lastIndexOf(CLOSE_LIST, at - 1);
    if (at <= start) return -1;
    if (isEnd(bytes, at)) return at;
  }
  return -1;
}

/** A row's text without what was said, or null. */
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
