import { z } from 'zod';
import { ALERT_TYPES, SEVERITIES } from '../domain/alerts/alert.ts';
import { UNCERTAIN_REASONS, CALL_OUTCOMES, ENTRY_SOURCES } from '../domain/usage/call.ts';
import { LIMIT_ACTIONS, LIMIT_UNITS, LIMIT_WINDOWS } from '../domain/limits/limit.ts';
import { PERIOD_STEPS } from '../domain/time/period.ts';
import { PROVENANCES } from '../domain/pricing/provenance.ts';
import { TOKEN_SCOPES } from '../domain/identity/access.ts';
import { FEE_CLASSES, TOKEN_CLASSES, USE_CLASSES } from '../domain/usage/usage.ts';
import { uncertaintyShape, unpricedShape } from './uncertainty.ts';

/**
 * Shapes of the API, shared by the endpoints, the OpenAPI document, the command line and the dashboard. Dollars are
 * JSON numbers; times are ISO 8601 texts in UTC. An unknown cost is null, never 0.
 */
const time = z.string().meta({ format: 'date-time' });
const usd = z.number().meta({ description: 'US dollars' });
const count = z.int().min(0);
const tags = z.record(z.string(), z.string());

export const errorShape = z
  .object({
    error: z.string().meta({ description: 'A sentence: what happened and what to do' }),
    type: z.string(),
    param: z.string().optional(),
    requestId: z.string(),
  })
  .meta({ id: 'Error' });
export type ErrorShape = z.output<typeof errorShape>;

// Reports

export const periodQuery = z.object({
  startDate: z
    .string()
    .optional()
    .meta({ description: 'ISO 8601; default: 30 days before now. A bare date is its 00:00 UTC' }),
  endDate: z
    .string()
    .optional()
    .meta({ description: 'ISO 8601; default: now. A bare date includes that whole UTC day, a date-time is exclusive' }),
});

const period = z.object({ start: time, end: time.meta({ description: 'Exclusive' }) });
const share = z.object({ cost: usd, calls: count });

/** Local usage that a subscription or a provider report covers: shown apart from the cost owed. */
const coveredUsage = z.object({
  cost: usd.meta({ description: 'Cost at retail prices' }),
  calls: count,
  inputTokens: count,
  outputTokens: count,
  ...unpricedShape,
});
export type CoveredUsage = z.output<typeof coveredUsage>;

export const usageSummary = z
  .object({
    totalCost: usd,
    totalCalls: count,
    totalInputTokens: count.meta({ description: 'Uncached, cache reads and cache writes' }),
    totalOutputTokens: count.meta({ description: 'Including thinking' }),
    byProvider: z.record(z.string(), share),
    byModel: z.record(z.string(), share),
    period,
    ...uncertaintyShape,
    callsUnknown: z
      .boolean()
      .optional()
      .meta({ description: 'true = some unproxied usage has no number of calls and adds none' }),
    covered: coveredUsage.optional().meta({ description: 'Local usage that a subscription covers; not in the totals' }),
    coveredByReports: coveredUsage.optional().meta({
      description: 'Local usage in a period that provider reports cover; the totals count it once, from the reports',
    }),
  })
  .meta({ id: 'UsageSummary' });
export type UsageSummary = z.output<typeof usageSummary>;

export const tagUsageRow = z
  .object({
    tag: z.string(),
    value: z.string(),
    cost: usd,
    calls: count,
    unpricedCalls: unpricedShape.unpricedCalls,
    percentage: z.number().meta({ description: 'Share of the cost of all calls with the tag, 0 to 100, one decimal' }),
  })
  .meta({ id: 'TagUsageRow' });
export type TagUsageRow = z.output<typeof tagUsageRow>;

const measures = z.object({
  calls: count,
  failedCalls: count,
  cost: usd,
  inputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  outputTokens: count,
  ...uncertaintyShape,
});

const point = measures.extend({ start: time, value: z.string().nullable() });

export const usageSeries = z
  .object({
    period,
    step: z.enum(PERIOD_STEPS),
    timeZone: z.string(),
    by: z.string().nullable(),
    starts: z.array(time).meta({ description: 'Start of each step, including steps without a call' }),
    points: z.array(point),
    untagged: share
      .extend({ percentage: z.number() })
      .optional()
      .meta({ description: 'Calls without the tag; the percentage is their share of the cost of all calls' }),
    covered: z
      .array(coveredUsage.extend({ start: time }))
      .optional()
      .meta({ description: 'Local usage that a subscription covers, by step; not in the points' }),
    coveredByReports: z
      .array(coveredUsage.extend({ start: time }))
      .optional()
      .meta({
        description: 'Local usage in a period that provider reports cover; the points count it from the reports',
      }),
    comparison: z
      .object({ period, starts: z.array(time), points: z.array(point) })
      .optional()
      .meta({ description: 'The comparison period, split by the same values' }),
  })
  .meta({ id: 'UsageSeries' });
export type UsageSeries = z.output<typeof usageSeries>;

const tokenCounts = z.partialRecord(z.enum(TOKEN_CLASSES), count);
const useCounts = z.partialRecord(z.enum(USE_CLASSES), count);

export const entry = z
  .object({
    id: z.string().meta({ description: 'Also in the answer header x-svc-call-id' }),
    source: z.enum(ENTRY_SOURCES),
    provider: z.string(),
    operation: z.string(),
    model: z.string().nullable(),
    requestedModel: z.string().nullable(),
    keyId: z.string(),
    tags,
    startedAt: time,
    endedAt: time,
    durationMs: z.number(),
    firstByteMs: z.number().nullable(),
    stream: z.boolean(),
    status: z.int().meta({ description: "Status of the provider's answer; 0 = no answer" }),
    outcome: z.enum(CALL_OUTCOMES),
    uncertainReason: z.enum(UNCERTAIN_REASONS).nullable().meta({ description: 'Reason why the cost is uncertain' }),
    usageSource: z.enum(['reported', 'counted', 'none']),
    inputTokens: count,
    outputTokens: count,
    thinkingTokens: count,
    tokens: tokenCounts.meta({ description: 'Tokens by class; the classes never overlap' }),
    uses: useCounts,
    cost: usd.nullable().meta({ description: 'Cost with all adjustments; null = unknown' }),
    uncertainUpTo: usd.optional(),
    costSource: z.enum(PROVENANCES).nullable().meta({
      description:
        "price = usage times price; report = from the provider report; provider = from the provider's answer; null = unknown, or not charged",
    }),
    priceVersion: z.string().nullable().meta({ description: 'Version of the prices behind the cost; null = none' }),
    requestId: z.string().nullable(),
    responseId: z.string().nullable(),
    /** SHA-256 of the source and the assistant's session id, hex; null = no session id. */
    sessionHash: z.string().nullable(),
  })
  .meta({ id: 'Entry' });
export type EntryShape = z.output<typeof entry>;

export const entriesPage = z
  .object({ entries: z.array(entry), nextCursor: z.string().nullable() })
  .meta({ id: 'EntriesPage' });
export type EntriesPage = z.output<typeof entriesPage>;

const priceLine = z.object({
  model: z.string(),
  item: z.enum([...TOKEN_CLASSES, ...FEE_CLASSES]),
  count,
  unitUsd: usd.meta({ description: 'Price of one token or use, before the multiplier' }),
  multiplier: z.number(),
  usd,
});

export const entryDetail = entry
  .extend({
    keyName: z.string().nullable().meta({ description: 'null = not called with a wrapped key of this workspace' }),
    explanation: z.string().meta({ description: 'Source of the cost as a sentence' }),
    lines: z
      .array(priceLine)
      .meta({ description: 'Lines that add up to the cost; empty if it does not come from prices' }),
    priceSources: z.array(z.string()).meta({ description: 'Sources of the prices' }),
    adjustments: z.array(
      z.object({ recordedAt: time, costBefore: usd.nullable(), costAfter: usd.nullable(), reason: z.string() }),
    ),
    limits: z
      .array(
        z.object({
          id: z.string().nullable().meta({ description: 'null = the limit was deleted, or has another scope now' }),
          label: z.string().nullable(),
          scope: z.string().nullable().meta({ description: 'Scope in words; null = the limit was deleted' }),
          action: z.enum(LIMIT_ACTIONS).nullable(),
          window: z.enum(LIMIT_WINDOWS).nullable(),
          unit: z.enum(LIMIT_UNITS),
          windowStart: time.nullable().meta({ description: 'null = the window never ends' }),
          value: z.string().nullable().meta({ description: 'Value of the tag, if the limit counts each value apart' }),
          held: z.number().meta({ description: 'Hold of the call, in the unit; dollars for `usd`' }),
          counted: z.number().meta({ description: 'Counted amount after the call ended, including corrections' }),
          uncertain: z
            .number()
            .meta({ description: 'Part of the counted amount that the provider may not have charged' }),
        }),
      )
      .meta({ description: 'Limits that counted the call' }),
  })
  .meta({ id: 'EntryDetail' });
export type EntryDetail = z.output<typeof entryDetail>;

// Alerts

export const alert = z
  .object({
    id: z.string(),
    type: z.enum(ALERT_TYPES),
    severity: z.enum(SEVERITIES),
    title: z.string(),
    message: z.string(),
    createdAt: time,
    read: z.boolean(),
    readAt: time.nullable(),
    resolvedAt: time.nullable().meta({ description: 'Time when the incident ended; null = ongoing as far as known' }),
    scope: z
      .record(z.string(), z.string())
      .meta({ description: 'Subject of the alert, for example a limit or a model' }),
    value: z.number().nullable().meta({ description: 'Observed value' }),
    threshold: z.number().nullable().meta({ description: 'Threshold that was exceeded' }),
    period: z
      .object({ start: time, end: time.nullable() })
      .nullable()
      .meta({ description: 'Period of the alert: the window of a limit, the hours of a spike' }),
    evidence: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Alert' });
export type AlertShape = z.output<typeof alert>;

// Management

const createdBy = z
  .string()
  .nullable()
  .meta({ description: 'Id of the user or token; null = unknown, for old records' });

export const wrappedKey = z
  .object({
    id: z.string(),
    name: z.string(),
    provider: z.string(),
    publicId: z.string(),
    tags,
    createdAt: time,
    createdBy,
    expiresAt: time.nullable(),
    revokedAt: time.nullable(),
    providerKey: z.object({
      fingerprint: z.string().nullable(),
      lastFour: z.string().nullable(),
      setAt: time,
      usedBy: count.meta({ description: 'Wrapped keys that share this provider key' }),
    }),
  })
  .meta({ id: 'WrappedKey' });
export type WrappedKeyShape = z.output<typeof wrappedKey>;

const warnings = z.array(z.string()).optional();
const secret = z.string().meta({ description: 'Shown once' });

export const createdKey = z
  .object({ id: z.string(), name: z.string(), provider: z.string(), key: secret, warnings })
  .meta({ id: 'CreatedKey' });
export type CreatedKey = z.output<typeof createdKey>;

export const replacedKey = z
  .object({ changed: z.array(wrappedKey).meta({ description: 'All wrapped keys that share it' }), warnings })
  .meta({ id: 'ReplacedProviderKey' });
export type ReplacedKey = z.output<typeof replacedKey>;

export const accessToken = z
  .object({
    id: z.string(),
    name: z.string(),
    publicId: z.string(),
    scopes: z.array(z.enum(TOKEN_SCOPES)),
    createdAt: time,
    createdBy,
    expiresAt: time.nullable(),
    revokedAt: time.nullable(),
  })
  .meta({ id: 'AccessToken' });
export type AccessTokenShape = z.output<typeof accessToken>;

export const createdToken = z
  .object({ id: z.string(), name: z.string(), scopes: z.array(z.enum(TOKEN_SCOPES)), token: secret })
  .meta({ id: 'CreatedToken' });
export type CreatedToken = z.output<typeof createdToken>;

export const workspace = z
  .object({ id: z.string(), name: z.string(), timeZone: z.string(), retentionDays: z.int(), createdAt: time })
  .meta({ id: 'Workspace' });
export type WorkspaceShape = z.output<typeof workspace>;

export const provider = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string(),
    proxyUrl: z.string().meta({ description: 'Base address for clients' }),
    priceProvider: z.string().nullable(),
    hasReports: z.boolean().meta({ description: 'Its provider reports can be read with an admin key' }),
    custom: z.boolean().meta({ description: 'Added by the operator' }),
  })
  .meta({ id: 'Provider' });
export type ProviderShape = z.output<typeof provider>;

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

export const userPrice = price.extend({ id: z.string(), createdAt: time }).meta({ id: 'UserPrice' });
export type UserPriceShape = z.output<typeof userPrice>;

export const auditPage = z
  .object({
    rows: z.array(
      z.object({
        seq: z.int(),
        at: time,
        actor: z.string(),
        actorName: z.string().nullable().meta({ description: 'Name of the person or token' }),
        action: z.string(),
        subject: z.string(),
        before: z.record(z.string(), z.unknown()).nullable(),
        after: z.record(z.string(), z.unknown()).nullable(),
        hash: z.string(),
      }),
    ),
    nextCursor: z.int().nullable().meta({ description: 'Pass as `before` for older rows' }),
  })
  .meta({ id: 'AuditPage' });
export type AuditPage = z.output<typeof auditPage>;

export const backupResult = z
  .object({ folder: z.string(), files: z.array(z.string()), note: z.string().nullable() })
  .meta({ id: 'Backup' });

export const doctorReport = z
  .object({
    ok: z.boolean(),
    checks: z.array(
      z.object({ name: z.string(), state: z.enum(['ok', 'warning', 'failed', 'skipped']), message: z.string() }),
    ),
  })
  .meta({ id: 'DoctorReport' });
export type DoctorReport = z.output<typeof doctorReport>;

export const renewedJournal = z.object({ renewed: z.literal(true) }).meta({ id: 'RenewedJournal' });

export const rotatedSecret = z
  .object({ setByOperator: z.boolean().meta({ description: 'Update SVC_SECRET before the next start' }) })
  .meta({ id: 'RotatedSecret' });
export type RotatedSecret = z.output<typeof rotatedSecret>;
