import { TollbookError } from '../domain/errors.ts';

/** The end of a page: start time and number of its last entry. */
export interface EntryCursor {
  readonly startedAt: number;
  readonly id: number;
}

export function formatCursor({ startedAt, id }: EntryCursor): string {
  return `${startedAt.toString(36)}.${id.toString(36)}`;
}

/** Throws `invalid` for a text that is not a cursor. */
export function parseCursor(text: string): EntryCursor {
  const match = /^([0-9a-z]{1,10})\.([0-9a-z]{1,10})$/.exec(text);
  const [startedAt, id] = [match?.[1], match?.[2]].map((part) => Number.parseInt(part ?? '', 36));
  if (!Number.isSafeInteger(startedAt) || !Number.isSafeInteger(id) || startedAt === undefined || id === undefined)
    throw new TollbookError(
      'invalid',
      'The cursor is not one that a page of entries gave; leave it out to start again.',
      'cursor',
    );
  return { startedAt, id };
}
