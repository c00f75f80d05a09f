/** Reads `team=search, env=production`. A part without `=` is a tag without a value, which the service refuses. */
export function readTags(text: string): Record<string, string> {
  const parts = splitList(text).map((part) => {
    const at = part.indexOf('=');
    return at < 0 ? [part, ''] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
  });
  return Object.fromEntries(parts) as Record<string, string>;
}

export function writeTags(tags: Readonly<Record<string, string>>): string {
  return Object.entries(tags)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

/** Splits text at commas and line ends, without empty parts. */
export function splitList(text: string): readonly string[] {
  return text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
