import { isDeepStrictEqual } from 'node:util';
import type { SeenFields } from '../../contract/seen.ts';
import { TollbookError } from '../../domain/errors.ts';

/**
 * Checks that a record still has the values that the caller read, so that no one overwrites or deletes another person's
 * change without knowing.
 * @param now the record as it is read through the API
 * @throws TollbookError `conflict`, naming the fields that are others; `invalid` for a field that it does not have
 */
export function requireUnchanged(asSeen: SeenFields | undefined, now: SeenFields): void {
  const fields = Object.entries(asSeen ?? {});
  const unknown = fields.find(([field]) => !Object.hasOwn(now, field));
  if (unknown)
    throw new TollbookError(
      'invalid',
      `seen has an unknown field "${unknown[0]}". Send only fields of the record.`,
      'seen',
    );
  const others = fields.filter(([field, value]) => !isDeepStrictEqual(value, now[field])).map(([field]) => field);
  if (others.length === 0) return;
  throw new TollbookError(
    'conflict',
    `This was changed by someone else meanwhile (${others.join(', ')}), so nothing was saved. Reload it and try again.`,
    others[0],
  );
}
