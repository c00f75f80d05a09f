import { TollbookError } from '../domain/errors.ts';

/** Where a page ended: the begin of its last entry, and that entry's number in the order of arrival. */
export interface EntryCursor {
  readonly beganAt: number;
  readonly id: number;
}

export function formatCursor({ beganAt, id }: EntryCursor): string {
  return `${beganAt.toString(36)}.${id.toString(36)}`;
}

/** Throws `invalid` for a text that no page gave. */
export function parseCursor(text: string): EntryCursor {
  const match = /^([0-9a-z]{1,10})\.([0-9a-z]{1,10})$/.exec(text);
  const [beganAt, id] = [match?.[1], match?.[2]].map((part) => Number.parseInt(part ?? '', 36));
  if (!Number.isSafeInteger(beganAt) || !Number.isSafeInteger(id) || beganAt === undefined || id === undefined)
    throw new TollbookError(
      'invalid',
      'The cursor is not one that a page of entries gave; leave it out to start again.',
      'cursor',
    );
  return { beganAt, id };
}
