import { TollbookError } from '../domain/errors.ts';
import { readPeriod } from '../domain/time/period.ts';

/** An expiry: a bare date lasts until the end of its UTC day. null = never. */
export function readExpiry(text: string | null, param: string): number | null {
  if (text === null) return null;
  try {
    return readPeriod('1970-01-01', text, 0).end;
  } catch {
    throw new TollbookError('invalid', `${param} is not a date; write 2027-01-31 or 2027-01-31T12:00:00Z.`, param);
  }
}
