import { TollbookError } from '../domain/errors.ts';
import { toIso, readPeriod } from '../domain/time/period.ts';
import { z } from 'zod';

/** Reads an expiry. A bare date lasts until the end of its UTC day; null = never. */
export function readExpiry(text: string | null, param: string): number | null {
  if (text === null) return null;
  try {
    return readPeriod('1970-01-01', text, 0).end;
  } catch {
    throw new TollbookError('invalid', `${param} is not a date. Write 2027-01-31 or 2027-01-31T12:00:00Z.`, param);
  }
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : toIso(ms);
}

/** Reads a whole number from query text. Rejects `1e2`, `0x10`, ` 5` and an empty text. */
export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', pattern: undefined, minimum: min, maximum: max });
}

/** Fields of several management requests. The store checks their values. */
export const name = z.string().meta({ description: 'Name for people' });
export const etag = z.string().meta({
  description: 'Version of the record; send it in If-Match to change the record only if it is still the same',
});
export const keyTags = z.record(z.string(), z.string()).meta({ description: 'Tags of every call with this key' });
export const expiry = z.string().nullable().meta({ format: 'date-time', description: 'null = never' });
export const timeZone = z.string().meta({ description: 'IANA name, for example Europe/Berlin' });
export const retentionDays = z
  .int()
  .min(1)
  .meta({ description: 'Older entries are deleted; summaries keep their sums' });

/** Fields of many answers. Dollars are JSON numbers; times are ISO 8601 texts in UTC. An unknown cost is null, never 0. */
export const time = z.string().meta({ format: 'date-time' });
export const usd = z.number().meta({ description: 'US dollars' });
export const count = z.int().min(0);
export const tags = z.record(z.string(), z.string());
export const createdBy = z
  .string()
  .nullable()
  .meta({ description: 'Id of the user or token; null = unknown, for old records' });
export const secret = z.string().meta({ description: 'Shown once' });
