import { z } from 'zod';

/**
 * Parameters of tools. Each says in one sentence what may be given, and says it again, after its own name, when
 * something else was.
 */

export const format = choice(['markdown', 'json'], 'Format of the text answer').default('markdown');

export const startDate = text('an ISO 8601 date or time such as 2026-01-31 or 2026-01-31T12:00:00Z')
  .optional()
  .describe('ISO 8601 start of the period; overrides `period`. A date without a time starts at 00:00 UTC');

export const endDate = text('an ISO 8601 date or time such as 2026-01-31 or 2026-01-31T12:00:00Z')
  .optional()
  .describe(
    'ISO 8601 end of the period (default: now); overrides `period`. A date without a time includes that whole UTC day',
  );

export function choice<const Words extends readonly [string, ...string[]]>(words: Words, description: string) {
  const allowed = words.length === 2 ? words.join(' or ') : `one of ${words.join(', ')}`;
  return z.enum(words, { error: complaint(allowed) }).describe(description);
}

export function text(what: string) {
  return z.string({ error: complaint(what) }).min(1, { error: complaint(what) });
}

export function wholeNumber(min: number, max: number, description: string) {
  const error = complaint(`a whole number from ${min} to ${max}`);
  return z.int({ error }).min(min, { error }).max(max, { error }).describe(description);
}

export function flag(description: string) {
  return z.boolean({ error: complaint('true or false') }).describe(description);
}

/** Ten years: nothing older can be there. */
const HOURS_MAX = 87_600;

export function maxAgeHours(hours: number) {
  const error = complaint(`a number of hours above 0 and at most ${HOURS_MAX}`);
  return z
    .number({ error })
    .positive({ error })
    .max(HOURS_MAX, { error })
    .default(hours)
    .describe('Only sessions modified within this many hours');
}

type ParameterError = (issue: { readonly input?: unknown }) => string;

/** Continues a sentence that began with the parameter's name. */
export function complaint(allowed: string): ParameterError {
  return ({ input }) => (input === undefined ? `is missing: it must be ${allowed}` : `must be ${allowed}`);
}
