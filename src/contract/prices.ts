import { z } from 'zod';
import { FEE_CLASSES, TOKEN_CLASSES } from '../domain/usage/usage.ts';
import { WITHDRAWN_REASONS } from '../domain/pricing/price.ts';
import { documented } from './documented.ts';
import { MODEL_NAME_CHARS_MAX } from '../domain/pricing/model-names.ts';
import { etag, time, usd, count } from './fields.ts';

const usdByClass = z.partialRecord(z.enum(TOKEN_CLASSES), usd);

const multipliers = z.record(z.string(), z.number());

export const price = z
  .object({
    provider: z.string(),
    model: z.string(),
    from: time.nullable(),
    until: time.nullable(),
    usdPerMillion: usdByClass.meta({ description: 'Prices per million tokens; an absent class has no price' }),
    longPrompts: z
      .array(z.object({ above: z.int(), usdPerMillion: usdByClass }))
      .meta({ description: 'Price of the whole call if its prompt is longer than `above` tokens' }),
    speeds: z.record(z.string(), usdByClass),
    tierMultipliers: multipliers,
    geoMultipliers: multipliers,
    fees: z.partialRecord(z.enum(FEE_CLASSES), usd).meta({ description: 'Price per use' }),
    contextWindow: z.int().nullable(),
    version: z.string().meta({ description: 'Changes with every price; stored with the entries that it priced' }),
    source: z.string(),
  })
  .meta({ id: 'Price' });
export type PriceShape = z.output<typeof price>;

export const userPrice = price.extend({ id: z.string(), createdAt: time, etag }).meta({ id: 'UserPrice' });
export type UserPriceShape = z.output<typeof userPrice>;

export const priceListCoverage = z
  .object({
    provider: z.string().meta({ description: 'Price list' }),
    models: count.meta({ description: 'Models in the list that are sold at a public price per unit' }),
    priced: count.meta({ description: 'Those with a price now' }),
    unpriced: z
      .array(z.object({ model: z.string(), source: z.string().nullable() }))
      .meta({ description: 'Those without, and why; null = no price is known, or the last one has ended' }),
    apart: z.array(z.object({ model: z.string(), reason: z.enum(WITHDRAWN_REASONS), source: z.string() })).meta({
      description: 'Other models of the list: not sold at a price per unit by which the gateway could charge',
    }),
  })
  .meta({ id: 'PriceListCoverage' });
export type PriceListCoverage = z.output<typeof priceListCoverage>;

export const priceCoverage = z
  .object({
    period: z.object({ start: time, end: time }),
    calls: count,
    unpricedCalls: count,
    priceLists: z
      .object({
        checkedAt: time.meta({
          description: 'Time when the lists were last checked against published prices, or fetched',
        }),
        ageDays: count,
        isOld: z.boolean().meta({ description: 'Older than 60 days; some prices have probably changed' }),
      })
      .meta({ description: 'Age of the price lists in use' }),
    models: z
      .array(
        z.object({
          provider: z.string(),
          model: z.string().nullable().meta({ description: 'null = unknown' }),
          calls: count,
          cost: usd,
          unpricedCalls: count,
          statedPrice: z
            .object({
              ratio: z.number().meta({ description: 'Stated cost divided by that of the price; 0.9 = 10 % less' }),
              since: time.meta({ description: 'First UTC day of the difference' }),
            })
            .nullable()
            .meta({ description: 'The provider states other costs than the price gives, in the last 30 days' }),
          price: z
            .object({
              model: z.string().meta({ description: 'Model name in the price list' }),
              source: z.string().meta({ description: '`user` = a custom price' }),
              version: z.string(),
            })
            .nullable()
            .meta({ description: 'Current price; null = none' }),
        }),
      )
      .meta({ description: 'Models without a price first, then by cost, highest first' }),
    hasMore: z.boolean().meta({ description: 'More models exist' }),
  })
  .meta({ id: 'PriceCoverage' });
export type PriceCoverage = z.output<typeof priceCoverage>;

const priceChange = z
  .object({
    provider: z.string(),
    model: z.string(),
    kind: z.enum(['new', 'changed', 'removed']),
    from: time.nullable().meta({ description: 'First time at which the price differs; null = now' }),
    figures: z.array(
      z.object({
        name: z.string().meta({ description: 'For example `input`, `output above 200000`, `webSearch fee`' }),
        before: z.number().nullable().meta({ description: 'null = none' }),
        after: z.number().nullable().meta({ description: 'null = none' }),
      }),
    ),
    isLarge: z.boolean().meta({ description: 'Possibly a mistake: removed, free, or more than twice or half as much' }),
  })
  .meta({ id: 'PriceChange' });
export type PriceChangeShape = z.output<typeof priceChange>;

export const priceUpdate = z
  .object({
    id: z.string(),
    source: z.string(),
    fetchedAt: time,
    total: count.meta({ description: 'Changes in all' }),
    large: count.meta({ description: 'Changes that must be accepted' }),
    changes: z.array(priceChange).meta({ description: 'Large ones first; at most 1,000' }),
  })
  .meta({ id: 'PriceUpdate' });
export type PriceUpdateShape = z.output<typeof priceUpdate>;

const text = z.string().max(40);
const rates = rateShape(text);
const word = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/);
const name = z
  .string()
  .max(MODEL_NAME_CHARS_MAX)
  .regex(/^[^\s"\\]+$/);
const instant = z.union([z.iso.date(), z.iso.datetime()]);

function rateShape<Figure extends z.ZodType<string>>(figure: Figure) {
  return z.partialRecord(z.enum(TOKEN_CLASSES), figure);
}

function priceShape<Figure extends z.ZodType<string>>(figure: Figure) {
  return z.strictObject({
    provider: name,
    model: name,
    from: instant.optional(),
    until: instant.optional(),
    usdPerMillion: rateShape(figure),
    longPrompts: z
      .array(z.strictObject({ above: z.int().positive(), usdPerMillion: rateShape(figure) }))
      .max(8)
      .optional(),
    speeds: z.record(word, rateShape(figure)).optional(),
    tierMultipliers: z.record(word, figure).optional(),
    geoMultipliers: z.record(word, figure).optional(),
    fees: z.partialRecord(z.enum(FEE_CLASSES), figure).optional(),
    contextWindow: z.int().positive().optional(),
  });
}

/** A custom price in requests, amounts as text. `src/prices/price-schema.ts` checks it. */
export const customPrice = documented(priceShape(text));
const DECIMALS = 12;

/** Writes a number without an exponent, which prices don't have. */
function toDecimalText(figure: number): string {
  const written = String(figure);
  return written.includes('e-') ? figure.toFixed(DECIMALS).replace(/\.?0+$/, '') : written;
}

/** A custom price in a file, whose amounts may be numbers. */
export const declaredPrice = priceShape(z.union([z.number().transform(toDecimalText), text]));
export type DeclaredPrice = z.output<typeof declaredPrice>;
/** A contract in requests, amounts as text. `src/prices/price-schema.ts` checks it. */
export const newContract = documented(
  z.strictObject({
    provider: name.optional(),
    model: name.optional(),
    keyId: z.string().min(1).max(200).optional(),
    tag: z.string().max(400).optional(),
    from: instant.optional(),
    until: instant.optional(),
    multiplier: text.optional(),
    usdPerMillion: rates.optional(),
    fees: z.partialRecord(z.enum(FEE_CLASSES), text).optional(),
  }),
);
export type NewContractShape = z.input<typeof newContract>;

export const priceContract = z
  .object({
    id: z.string(),
    provider: z.string().nullable().meta({ description: 'null = any' }),
    model: z.string().nullable().meta({ description: 'Pattern such as claude-*; null = any' }),
    keyId: z.string().nullable().meta({ description: 'null = any' }),
    tag: z.string().nullable().meta({ description: 'key=value; null = any' }),
    from: time.nullable(),
    until: time.nullable(),
    multiplier: z.number().nullable().meta({ description: 'Multiple of every listed price; null = fixed prices' }),
    usdPerMillion: usdByClass.meta({ description: 'Fixed prices per million tokens; other classes cost as listed' }),
    fees: z.partialRecord(z.enum(FEE_CLASSES), usd).meta({ description: 'Fixed prices per use' }),
    createdAt: time,
    etag,
  })
  .meta({ id: 'PriceContract' });
export type ContractShape = z.output<typeof priceContract>;

export const repricePreview = z
  .object({
    calls: count.meta({ description: 'Recorded calls that would get another cost' }),
    unpricedCalls: count.meta({ description: 'Those without a cost now' }),
    missingClasses: z
      .array(z.enum(TOKEN_CLASSES))
      .meta({ description: 'Classes that have a price now and none then: usage with them gets an unknown cost' }),
    costBefore: usd.meta({ description: 'Their cost now; calls without a price count 0' }),
    costAfter: usd.meta({ description: 'Their cost by the new price or contract' }),
    from: time.nullable().meta({ description: 'Start of the first of these calls; null = there is none' }),
    isComplete: z.boolean().meta({ description: 'false = there are more calls than were read; the newest were' }),
  })
  .meta({ id: 'RepricePreview' });
export type RepricePreview = z.output<typeof repricePreview>;

export type CustomPriceShape = z.input<typeof customPrice>;
