import { TollbookError } from '../core/errors.ts';

/** The parameters of a query; one that is given twice is refused rather than half heard. */
export function readQuery(url: URL): Record<string, string> {
  const seen = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (seen.has(name)) throw new TollbookError('invalid', 'A parameter is given twice; give it once.', name);
    seen.set(name, value);
  }
  return Object.fromEntries(seen);
}
