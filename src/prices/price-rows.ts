import { z } from 'zod';
import { narrow, parseDecimal, PICO_DIGITS } from '../core/money.ts';
import type { LengthTier, Multiplier, Rates } from '../core/price.ts';
import { TOKEN_CLASSES, USE_CLASSES, type TokenClass, type UseClass } from '../core/usage.ts';

/**
 * Prices as people write them: dollars per million tokens as decimal text. The same words serve the project's own
 * data files, refreshed data and users' prices.
 */

/** A dollar per million tokens is 10^-6 USD a token, so 6 decimals reach whole pico-USD. */
const PER_MILLION_DIGITS = PICO_DIGITS - 6;
/** USD per million tokens, or per use. */
const PRICE_USD_MAX = 5_000;
/** Numerator and denominator of a multiplier. */
const FRACTION_MAX = 10_000;
const FRACTION_DIGITS = 4;
const ROWS_MAX = 5_000;
const NAME_CHARS_MAX = 200;

const ratePico = z.string().transform((text, context) => wholeOf(text, PER_MILLION_DIGITS, context));
const feePico = z.string().transform((text, context) => wholeOf(text, PICO_DIGITS, context));
const rates = z.partialRecord(z.enum(TOKEN_CLASSES), ratePico);
const instant = z.union([z.iso.date(), z.iso.datetime()]).transform((text) => Date.parse(text));
export const modelName = z
  .string()
  .max(NAME_CHARS_MAX)
  .regex(/^[^\s"\\]+$/, 'must be a name without spaces');
const multiplier = z.string().transform((text, context) => {
  const parsed = parseMultiplier(text);
  if (parsed) return parsed;
  context.addIssue({ code: 'custom', message: `"${text.slice(0, 40)}" is no multiplier; write 0.5 or 5/3` });
  return z.NEVER;
});
const word = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, 'must be a lower-case word');

/** What modifies a price beside its rates. */
const modifiers = {
  speeds: z.record(word, rates).optional(),
  tierMultipliers: z.record(word, multiplier).optional(),
  geoMultipliers: z.record(word, multiplier).optional(),
  fees: z.partialRecord(z.enum(USE_CLASSES), feePico).optional(),
  contextWindow: z.int().positive().optional(),
};

/** One price of one model in one period. */
export const priceFields = {
  /** First day (00:00 UTC) or instant; absent = always. */
  from: instant.optional(),
  /** First day or instant at which it holds no more; absent = open. */
  until: instant.optional(),
  usdPerMillion: rates,
  /** Rates of the whole request when its prompt is strictly longer than `above` tokens. */
  longPrompts: z.array(z.strictObject({ above: z.int().positive(), usdPerMillion: rates })).max(8).optional(),
  ...modifiers,
};

const priceRow = z.strictObject({ models: z.array(modelName).min(1), ...priceFields, source: z.string() }).superRefine(checkRow);

/** Adds what a base price does not say; it changes no figure that is there. `*` = every model of the provider. */
const patchRow = z.strictObject({
  models: z.array(modelName).min(1),
  /** null = this class has no price, and no other class stands in for it. */
  usdPerMillion: z.partialRecord(z.enum(TOKEN_CLASSES), ratePico.nullable()).optional(),
  ...modifiers,
  source: z.string(),
});

export const priceFile = z.strictObject({
  provider: modelName,
  /** Class without a rate of its own → class whose rate it pays, tried in this order. */
  sameAs: z.partialRecord(z.enum(TOKEN_CLASSES), z.enum(TOKEN_CLASSES)).optional(),
  prices: z.array(priceRow).max(ROWS_MAX),
  patches: z.array(patchRow).max(ROWS_MAX).optional(),
});

export type PriceFile = z.infer<typeof priceFile>;
export type PriceRow = z.infer<typeof priceRow>;
export type PatchRow = z.infer<typeof patchRow>;
export type PriceFields = z.infer<z.ZodObject<typeof priceFields>>;
export type SameAs = Partial<Record<TokenClass, TokenClass>>;

/** A half-known longer tier or an empty period would price calls by accident. */
export function checkRow(row: PriceFields, context: z.RefinementCtx): void {
  const fail = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
  if (row.from !== undefined && row.until !== undefined && row.from >= row.until)
    fail('until', 'must be later than from');
  if (Object.keys(row.usdPerMillion).length === 0) fail('usdPerMillion', 'must name at least one class');
  const classes = Object.keys(row.usdPerMillion).toSorted().join();
  let last = 0;
  for (const { above, usdPerMillion } of row.longPrompts ?? []) {
    if (Object.keys(usdPerMillion).toSorted().join() !== classes)
      fail('longPrompts', 'must name the same classes as usdPerMillion');
    if (above <= last) fail('longPrompts', 'must ascend');
    last = above;
  }
}

export function tiersOf(row: PriceFields): LengthTier[] {
  const longer = row.longPrompts ?? [];
  return [
    { above: -1, rates: row.usdPerMillion },
    ...longer.map(({ above, usdPerMillion }) => ({ above, rates: usdPerMillion })),
  ];
}

/** `0.5` or `5/3` as one fraction in lowest terms, or null. */
export function parseMultiplier(text: string): Multiplier | null {
  const parts = /^(\d{1,5})\/(\d{1,5})$/.exec(text);
  const num = parts ? Number(parts[1]) : Number(parseDecimal(text, FRACTION_DIGITS) ?? Number.NaN);
  const den = parts ? Number(parts[2]) : 10 ** FRACTION_DIGITS;
  if (Number.isNaN(num) || den === 0) return null;
  const divisor = greatestCommonDivisor(num, den);
  const fraction = { num: num / divisor, den: den / divisor };
  return fraction.num <= FRACTION_MAX && fraction.den <= FRACTION_MAX ? fraction : null;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function wholeOf(text: string, digits: number, context: z.RefinementCtx): number {
  const whole = parseDecimal(text, digits);
  if (whole !== null && whole <= PRICE_USD_MAX * 10 ** digits) return Number(whole);
  context.addIssue({
    code: 'custom',
    message: `"${text.slice(0, 40)}" is no price; write dollars such as "2.50", at most ${PRICE_USD_MAX}, with at most ${digits} decimals`,
  });
  return z.NEVER;
}
