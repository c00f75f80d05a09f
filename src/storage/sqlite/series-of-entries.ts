import { setImmediate as nextTurn } from 'node:timers/promises';
import { TollbookError } from '../../core/errors.ts';
import type { Range, SeriesQuery, SeriesRow } from '../store.ts';
import { addUnder } from '../totals.ts';
import type { Sum } from '../totals.ts';
import type { Book } from './book.ts';
import { conditions } from './question.ts';
import type { Question } from './question.ts';
import { sumSegment } from './sum.ts';

/** Entries added up between two chances for other work: some 50 ms. */
const SLICE_ENTRIES = 20_000;

/** Answers what no roll-up holds from entries, in slices of time. Throws `impossible` above `query.entriesMax`. */
export async function seriesOfEntries(
  book: Book,
  workspaceId: string,
  question: Question,
  { buckets, range, entriesMax = Infinity }: SeriesQuery,
): Promise<SeriesRow[]> {
  const workspace = book.names.find(workspaceId);
  if (workspace === undefined) return [];
  if (hasMore(book, workspace, range, entriesMax)) throw tooMany(question, entriesMax);
  const rows: SeriesRow[] = [];
  for (const [index, bucket] of buckets.entries()) {
    const sums = new Map<string | null, Sum>();
    for (const slice of slices(book, workspace, { start: bucket, end: buckets[index + 1] ?? range.end })) {
      for (const { values, totals } of sumSegment(book, workspace, question, null, { from: 'detail', ...slice }))
        addUnder(sums, values[0] ?? null, totals);
      await nextTurn();
    }
    for (const [value, totals] of sums) rows.push({ bucket, value, totals });
  }
  return rows;
}

const IN_RANGE = 'FROM entries WHERE workspace = :workspace AND began_at >= :start AND began_at < :end';
const SKIP = `SELECT began_at ${IN_RANGE} ORDER BY began_at LIMIT 1 OFFSET :skip`;

function hasMore(book: Book, workspace: number, range: Range, entriesMax: number): boolean {
  return entriesMax !== Infinity && instantOf(book, workspace, range, entriesMax) !== null;
}

/** Parts of a range with about `SLICE_ENTRIES` entries each. */
function* slices(book: Book, workspace: number, { start, end }: Range): Generator<Range> {
  for (let from = start; from < end;) {
    const next = instantOf(book, workspace, { start: from, end }, SLICE_ENTRIES) ?? end;
    // More entries than that may have begun in one millisecond.
    const to = Math.max(next, from + 1);
    yield { start: from, end: to };
    from = to;
  }
}

/** When the entry began that comes after the first `skip` of a range; null = there are no more. */
function instantOf(book: Book, workspace: number, { start, end }: Range, skip: number): number | null {
  const found = book.connection.statement(SKIP).get({ workspace, start, end, skip })?.['began_at'];
  return typeof found === 'number' ? found : null;
}

function tooMany({ by, tagKey, filter }: Question, entriesMax: number): TollbookError {
  const tags = [tagKey, filter.tag?.key].flatMap((key) => (key === null || key === undefined ? [] : `tag ${key}`));
  const columns = [...by.filter((column) => column !== 'tag_value'), ...conditions(filter).map(([column]) => column)];
  const asked = [...new Set([...tags, ...columns])].join(' with ');
  return new TollbookError(
    'impossible',
    `The combination of ${asked} is added up call by call, at most ${entriesMax} of them; this period has more. Take a shorter one, or ask for less together.`,
    'startDate',
  );
}
