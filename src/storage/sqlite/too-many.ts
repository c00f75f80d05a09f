import { TollbookError } from '../../domain/errors.ts';
import type { TimeRange } from '../store.ts';
import { filterConditions } from './question.ts';
import type { SumQuery } from './question.ts';
import type { EntryReader } from './reading.ts';

const SKIP = `SELECT 1 FROM entries WHERE workspace = :workspace AND began_at >= :start AND began_at < :end
  ORDER BY began_at LIMIT 1 OFFSET :skip`;

/** Throws `impossible` where a range has more entries than may be added up one by one. */
export function requireFewEntries(
  { connection, names }: EntryReader,
  workspaceId: string,
  question: SumQuery,
  { start, end }: TimeRange,
  entriesMax: number,
): void {
  const workspace = names.find(workspaceId);
  if (workspace === undefined || entriesMax === Infinity) return;
  if (connection.statement(SKIP).get({ workspace, start, end, skip: entriesMax })) throw tooMany(question, entriesMax);
}

function tooMany({ by, tagKey, filter }: SumQuery, entriesMax: number): TollbookError {
  const tags = [tagKey, filter.tag?.key].flatMap((key) => (key === null || key === undefined ? [] : `tag ${key}`));
  const columns = [
    ...by.filter((column) => column !== 'tag_value'),
    ...filterConditions(filter).map(([column]) => column),
  ];
  const asked = [...new Set([...tags, ...columns])].join(' with ');
  return new TollbookError(
    'impossible',
    `The combination of ${asked} is added up call by call, at most ${entriesMax} of them; this period has more. Take a shorter one, or ask for less together.`,
    'startDate',
  );
}
