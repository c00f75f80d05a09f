import { z } from 'zod';
import { TollbookError } from '../domain/errors.ts';
import { FEE_CLASSES, TOKEN_CLASSES } from '../domain/usage/usage.ts';
import { MODEL_NAME_CHARS_MAX } from '../domain/pricing/model-names.ts';
import {
  parseFee,
  parseInstant,
  parseModifiers,
  parseMultiplier,
  parseRate,
  parseRates,
  type PriceFields,
  type PriceFile,
} from './price-rows.ts';
import type { ContractTerms, PriceContract } from '../domain/pricing/contract.ts';
import { parseTag } from '../domain/usage/tags.ts';
import { type RateCard, WITHDRAWN_REASONS } from '../domain/pricing/price.ts';
import { finishPeriod, parseDraft } from './draft-card.ts';

/** Schemas of prices from outside the project. */

const ROWS_MAX = 5_000;
const MODELS_PER_ROW_MAX = 100;
const LONGER_TIERS_MAX = 8;
const SOURCE_CHARS_MAX = 1_000;

const AS_TEXT = 'write the number as text, for example "0.30", so that no digit is lost';

/** Returns a schema of text that `parse` accepts. The error of `parse` is the message. */
function textSchema(parse: (text: string) => unknown): z.ZodType<string, string> {
  return z
    .string(AS_TEXT)
    .max(40)
    .superRefine((text, context) => {
      try {
        parse(text);
      } catch (error) {
        if (!(error instanceof TollbookError)) throw error;
        context.addIssue({ code: 'custom', message: error.message });
      }
    });
}

const tokenClass = z.enum(TOKEN_CLASSES);
const word = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, 'must be a lower-case word');
const name = z
  .string()
  .max(MODEL_NAME_CHARS_MAX)
  .regex(/^[^\s"\\]+$/, 'must be a name without spaces');
const rates = z.partialRecord(tokenClass, textSchema(parseRate));
const instant = z.union([z.iso.date(), z.iso.datetime()]);
const modifiers = {
  speeds: z.record(word, rates).optional(),
  tierMultipliers: z.record(word, textSchema(parseMultiplier)).optional(),
  geoMultipliers: z.record(word, textSchema(parseMultiplier)).optional(),
  fees: z.partialRecord(z.enum(FEE_CLASSES), textSchema(parseFee)).optional(),
  contextWindow: z.int().positive().optional(),
};
const FACTOR_MAX = 100;
const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 01:00');
const daily = z.strictObject({ from: timeOfDay, until: timeOfDay, workdays: z.boolean().optional() });
const fields = {
  from: instant.optional(),
  until: instant.optional(),
  usdPerMillion: rates,
  longPrompts: z
    .array(z.strictObject({ above: z.int().positive(), usdPerMillion: rates }))
    .max(LONGER_TIERS_MAX)
    .optional(),
  ...modifiers,
};
const factor = textSchema(parseMultiplier);
const longPromptFactors = z
  .array(z.strictObject({ above: z.int().positive(), input: factor, output: factor }))
  .max(LONGER_TIERS_MAX);
const models = z.array(name).min(1).max(MODELS_PER_ROW_MAX);
const source = z.string().max(SOURCE_CHARS_MAX);

export const priceFileSchema = z.strictObject({
  provider: name,
  sameAs: z.partialRecord(tokenClass, tokenClass).optional(),
  multiples: z
    .partialRecord(tokenClass, z.strictObject({ of: tokenClass, factor: z.int().positive().max(FACTOR_MAX) }))
    .optional(),
  prices: z
    .array(z.strictObject({ models, ...fields, daily: daily.optional(), source }).superRefine(checkPrice))
    .max(ROWS_MAX),
  patches: z
    .array(
      z.strictObject({
        models,
        usdPerMillion: rates.optional(),
        tierExceptions: z.record(word, z.array(tokenClass)).optional(),
        longPrompts: longPromptFactors.optional(),
        ...modifiers,
        source,
      }),
    )
    .max(ROWS_MAX)
    .optional(),
  aliases: z
    .array(z.strictObject({ models, of: name, source }))
    .max(ROWS_MAX)
    .optional(),
  withdrawn: z
    .array(z.strictObject({ models, reason: z.enum(WITHDRAWN_REASONS).optional(), source }))
    .max(ROWS_MAX)
    .optional(),
}) satisfies z.ZodType<PriceFile>;

/**
 * Schema of a custom price. A class, service tier or fee that it does not name has no price. It applies all day: prices for
 * hours of the day are known from lists only.
 */
export const userCardInput = z.strictObject({ provider: name, model: name, ...fields }).superRefine(checkPrice);

/** Refuses incomplete tiers for long prompts and empty periods, which would give calls a wrong price. */
function checkPrice(price: PriceFields, context: z.RefinementCtx): void {
  const fail = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
  if (price.from !== undefined && price.until !== undefined && Date.parse(price.from) >= Date.parse(price.until))
    fail('until', 'must be later than from');
  const classes = Object.keys(price.usdPerMillion).toSorted().join();
  if (classes === '') fail('usdPerMillion', 'must name at least one class');
  let last = 0;
  for (const { above, usdPerMillion } of price.longPrompts ?? []) {
    if (Object.keys(usdPerMillion).toSorted().join() !== classes)
      fail('longPrompts', 'must name the same classes as usdPerMillion');
    if (above <= last) fail('longPrompts', 'must ascend');
    last = above;
  }
}

const TAG_CHARS_MAX = 400;
/** Schema of a contract. */
export const contractInput = z.strictObject({
  provider: name.optional(),
  model: name.optional(),
  keyId: z.string().min(1).max(MODEL_NAME_CHARS_MAX).optional(),
  tag: z.string().max(TAG_CHARS_MAX).optional(),
  from: instant.optional(),
  until: instant.optional(),
  multiplier: factor.optional(),
  usdPerMillion: rates.optional(),
  fees: modifiers.fees,
});

/** Validates and reads a contract. Throws `invalid` with the field's name. */
export function readContract(input: unknown): Omit<PriceContract, 'id' | 'workspaceId'> {
  const parsed = contractInput.safeParse(input);
  if (!parsed.success) throw toInvalidError('A contract', parsed.error);
  const { provider = null, model = null, keyId = null, tag, from, until } = parsed.data;
  const period = { from: parseInstant(from), until: parseInstant(until) };
  if (period.from !== null && period.until !== null && period.from >= period.until)
    throw new TollbookError('invalid', 'A contract must end later than it begins.', 'until');
  const scope = { provider, model, keyId, tag: tag === undefined ? null : parseTag(tag) };
  return { scope, ...period, terms: parseContractTerms(parsed.data) };
}

function parseContractTerms({
  multiplier,
  usdPerMillion = {},
  fees = {},
}: z.output<typeof contractInput>): ContractTerms {
  const isFixed = Object.keys({ ...usdPerMillion, ...fees }).length > 0;
  if (isFixed === (multiplier !== undefined))
    throw new TollbookError(
      'invalid',
      'A contract needs a multiplier of listed prices such as 0.76, or fixed rates or fees, and not both.',
      'multiplier',
    );
  if (multiplier !== undefined) return { kind: 'multiplier', multiplier: parseMultiplier(multiplier) };
  return { kind: 'fixed', rates: parseRates(usdPerMillion), fees: parseModifiers({ fees }).fees };
}

/** Returns the classes to choose from, for an error about an unknown one. */
function knownClasses(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code !== 'unrecognized_keys') return '';
  const names: Readonly<Record<string, readonly string[]>> = { usdPerMillion: TOKEN_CLASSES, fees: FEE_CLASSES };
  const known = names[String(issue.path.at(-1))];
  return known ? `; choose from ${known.join(', ')}` : '';
}

/** Returns an error with the first problem. */
export function toInvalidError(what: string, error: z.ZodError): TollbookError {
  const [issue] = error.issues;
  const path = issue?.path.join('.') ?? '';
  const where = path ? ` in ${path}` : '';
  const message = `${(issue?.message ?? 'unknown').replace(/\.$/, '')}${knownClasses(issue)}`;
  return new TollbookError('invalid', `${what} is not valid${where}: ${message}.`, path || undefined);
}

const NO_RULES = { sameAs: {}, multiples: {} };

/** Finds the token classes that a service tier leaves as they are, by the price list of a model's provider. */
export type FindTierExceptions = (provider: string, model: string) => RateCard['tierExceptions'];

/**
 * Validates and builds a custom price (`userCardInput`). Throws `invalid` with the field's name.
 * @param findExceptions the multiplier of a tier applies to the same classes as in the list. Default: to all
 */
export function userCard(input: unknown, findExceptions: FindTierExceptions = () => undefined): RateCard {
  const parsed = userCardInput.safeParse(input);
  if (!parsed.success) throw toInvalidError('A price', parsed.error);
  const { provider, model, ...price } = parsed.data;
  const tierExceptions = findExceptions(provider, model);
  const patches = tierExceptions ? [{ models: [model], tierExceptions, source: 'user' }] : [];
  return finishPeriod(provider, model, parseDraft('user', { ...price, source: 'user' }), patches, NO_RULES).card;
}
