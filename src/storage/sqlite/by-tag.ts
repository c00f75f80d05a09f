import type { Range, TagRow } from '../store.ts';
import { addUnder } from '../totals.ts';
import type { Sum } from '../totals.ts';
import type { Book } from './book.ts';
import { sumRange } from './sum-range.ts';

export function byTag(book: Book, workspaceId: string, tagKey: string, range: Range): TagRow[] {
  const sums = new Map<string, Sum>();
  for (const { values, totals } of sumRange(book, workspaceId, { by: ['tag_value'], tagKey, filter: {} }, range)) {
    const [value] = values;
    if (typeof value === 'string') addUnder(sums, value, totals);
  }
  return [...sums].map(([value, { calls, cost }]) => ({ value, calls, cost }));
}
