import { TollbookError } from '../../domain/errors.ts';
import type { Range } from '../store.ts';
import { conditions } from './question.ts';
import type { Question } from './question.ts';
import type { EntryReading } from './reading.ts';

const SKIP = `SELECT 1 FROM entries WHERE workspace = :workspace AND began_at >= :start AND began_at < :end
  ORDER BY began_at LIMIT 1 OFFSET :skip`;

/** Throws `impossible` where a range has more entries than may be added up one by one. */
export function refuseTooMany(
  { connection, names }: EntryReading,
  workspaceId: string,
  question: Question,
  { start, end }: Range,
  entriesMax: number,
): void {
  const workspace = names.find(workspaceId);
  if (workspace === undefined || entriesMax === Infinity) return;
  if (connection.statement(SKIP).get({ workspace, start, end, skip: entriesMax })) throw tooMany(question, entriesMax);
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
