import { TollbookError } from '../domain/errors.ts';

/** `team=search` and so on, each once. */
export function readTags(pairs: readonly string[]): Record<string, string> {
  const tags = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const key = pair.slice(0, Math.max(0, at)).trim();
    if (key === '' || tags.has(key))
      throw new TollbookError('invalid', `"${pair}" is not a valid tag; use --tag key=value, each key once.`);
    tags.set(key, pair.slice(at + 1).trim());
  }
  return Object.fromEntries(tags);
}
