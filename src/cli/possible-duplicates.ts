import type { ObservedCallShape } from '../contract/observed.ts';
import { shortCount } from '../domain/text/counts.ts';
import { formatShortTime } from '../domain/text/dates.ts';
import { usdColumn } from '../domain/text/money.ts';
import type { TextLayout } from './cli.ts';
import { tableWithNotes } from './table.ts';

const HEADINGS = ['STARTED', 'REPORTED BY', 'MODEL', 'IN', 'OUT', 'COST'];
const SHORT_FROM = 10_000;

interface PossibleDuplicates {
  readonly calls: readonly ObservedCallShape[];
  readonly nextCursor: string | null;
}

/** Returns reported calls with the calls of the gateway that each may be. */
export function possibleDuplicatesTable(
  { calls, nextCursor }: PossibleDuplicates,
  timeZone: string,
  { width }: TextLayout,
): string {
  if (calls.length === 0) return 'No possible duplicates.';
  const usd = usdColumn(calls.map(({ cost }) => cost));
  const rows = calls.map(({ startedAt, assistant, source, model, inputTokens, outputTokens, cost, ...call }) => ({
    cells: [
      formatShortTime(startedAt, timeZone),
      assistant ?? source,
      model,
      shortCount(inputTokens, SHORT_FROM),
      shortCount(outputTokens, SHORT_FROM),
      usd(cost),
    ],
    notes: () => ['may be', ...call.possibleDuplicates],
  }));
  const more = nextCursor === null ? '' : '\n\nThere are more: raise --limit, or narrow the period.';
  return `${tableWithNotes(HEADINGS, rows, width)}

Each is counted, and so are the calls of the gateway below it, because several fit.${more}`;
}
