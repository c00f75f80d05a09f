import { NO_CONTEXT } from '../domain/usage/call-context.ts';
import type { FORMATS } from '../contract/routes/usage.ts';
import { setImmediate } from 'node:timers/promises';
import { LIMITS } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import { toIso, readPeriod } from '../domain/time/period.ts';
import type { UnproxiedUsageStore, UnproxiedSum } from '../storage/unproxied-usage.ts';
import { endpoint } from './http/endpoint.ts';
import { entryView } from './entries.ts';
import { readFilter } from './usage/filter.ts';
import { passesFilter } from './usage/session-usage.ts';
import { type CsvCell, csvLine } from '../domain/text/csv.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { inputTokens, NO_TERMS, outputTokens, totalTokens } from '../domain/usage/usage.ts';
import { effectiveCost } from '../storage/effective-entry.ts';
import type { Entry } from '../domain/usage/call.ts';
import { DAY_MS, SECOND_MS } from '../domain/time/units.ts';
import type { EntriesQuery, RecordedEntry, UsageQueries } from '../storage/usage-queries.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import type { Provider } from '../providers/provider.ts';

export interface ExportServices {
  readonly clock: Clock;
  readonly records: Records;
  readonly reports: UsageQueries;
  readonly unproxiedUsage: UnproxiedUsageStore;
  readonly providers: ReadonlyMap<string, Provider>;
}

/**
 * Converts unproxied usage of one model on one day to an entry. It has no key, tag, status or request, because no call
 * belongs to it.
 */
function unproxiedEntry(workspaceId: string, { day, provider, model, totals }: UnproxiedSum): RecordedEntry {
  const { inputTokens: input, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite, outputTokens: output } = totals;
  const tokens = { input: input - cacheRead - cacheWrite, cacheRead, cacheWrite, output };
  const isUnpriced = totals.unpricedCalls + totals.unpricedUses > 0;
  const cost = isUnpriced && totals.cost === 0n ? null : Number(totals.cost);
  const entry: Entry = {
    callId: ['report', provider, new Date(day).toISOString().slice(0, 10), model ?? '(none)'].join(':'),
    workspaceId,
    keyId: '',
    provider,
    operation: 'organization_report',
    requestedModel: null,
    stream: false,
    tags: {},
    sessionHash: null,
    context: NO_CONTEXT,
    shortenedTo: null,
    startedAt: day,
    hold: { usd: null, inputTokens: 0, outputTokens: 0 },
    touched: [],
    endedAt: day + DAY_MS,
    outcome: 'completed',
    uncertainReason: isUnpriced ? 'no_price' : null,
    status: 0,
    usageSource: 'reported',
    usage: { inferences: [{ model: null, tokens, promptTokens: null }], uses: {}, thinking: 0, terms: NO_TERMS },
    model,
    cost,
    counted: { usd: cost, inputTokens: input, outputTokens: output },
    provenance: null,
    requestId: null,
    responseId: null,
    firstByteMs: null,
    source: 'provider_report',
  };
  return { entry, adjustments: [] };
}

/** Names that an export adds to an entry. */
export interface ExportContext {
  readonly workspace: { readonly id: string; readonly name: string };
  /** Returns the display name of a provider. */
  providerName(id: string): string;
  /** null = the entry has no key, or the key no longer exists. */
  keyName(id: string): string | null;
}

type ExportColumns = Readonly<Record<string, (recorded: RecordedEntry, context: ExportContext) => CsvCell>>;

/** One column for each field of an entry, and the name of its key. Fields with several parts are JSON. */
const ENTRY_COLUMNS: ExportColumns = Object.fromEntries(
  (
    [
      'id',
      'startedAt',
      'endedAt',
      'source',
      'provider',
      'operation',
      'model',
      'requestedModel',
      'keyId',
      'keyName',
      'status',
      'outcome',
      'uncertainReason',
      'errorType',
      'stream',
      'shortenedTo',
      'inputTokens',
      'outputTokens',
      'thinkingTokens',
      'tokens',
      'uses',
      'cost',
      'listCost',
      'contractedCost',
      'uncertainUpTo',
      'costSource',
      'priceVersion',
      'usageSource',
      'firstByteMs',
      'durationMs',
      'requestId',
      'responseId',
      'sessionHash',
      'session',
      'agent',
      'parentAgent',
      'run',
      'requestClass',
      'tags',
    ] as const
  ).map((name) => [
    name,
    name === 'keyName' ? keyNameCell : (recorded: RecordedEntry) => toCell(entryView(recorded)[name]),
  ]),
);

function keyNameCell({ entry }: RecordedEntry, { keyName }: ExportContext): CsvCell {
  return keyName(entry.keyId);
}

function toCell(value: unknown): CsvCell {
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : (value as string | number | boolean);
}

/** Formats a time in whole seconds, as FOCUS requires. */

function focusTime(ms: number): string {
  return toIso(ms - (ms % SECOND_MS)).replace('.000Z', 'Z');
}

function focusMonth(ms: number, monthsAhead: number): string {
  const date = new Date(ms);
  return focusTime(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsAhead, 1));
}

function costUsd(recorded: RecordedEntry): number | null {
  const cost = effectiveCost(recorded);
  return cost === null ? null : usdFromNano(cost);
}

function entryModel({ entry }: RecordedEntry): string | null {
  return entry.model ?? entry.requestedModel;
}

function entryTokens({ entry }: RecordedEntry): number | null {
  if (!entry.usage) return null;
  const tokens = totalTokens(entry.usage);
  return inputTokens(tokens) + outputTokens(tokens);
}

/**
 * Columns of the FinOps Open Cost and Usage Specification, version 1.2 (focus.finops.org): one row for each call and
 * for each row of provider reports. An unknown cost is empty although FOCUS asks for a number, because 0 would be
 * wrong. Columns that begin with `x_` are Tollbook's own.
 */
const FOCUS_COLUMNS: ExportColumns = {
  BilledCost: costUsd,
  EffectiveCost: costUsd,
  ListCost: (recorded) => entryView(recorded).listCost,
  ContractedCost: (recorded) => entryView(recorded).contractedCost,
  BillingCurrency: () => 'USD',
  BillingAccountId: (_, { workspace }) => workspace.id,
  BillingAccountName: (_, { workspace }) => workspace.name,
  BillingPeriodStart: ({ entry }) => focusMonth(entry.startedAt, 0),
  BillingPeriodEnd: ({ entry }) => focusMonth(entry.startedAt, 1),
  ChargePeriodStart: ({ entry }) => focusTime(entry.startedAt),
  // Exclusive, and never equal to the start.
  ChargePeriodEnd: ({ entry }) => focusTime(Math.max(entry.endedAt, entry.startedAt) + SECOND_MS),
  ChargeCategory: () => 'Usage',
  ChargeClass: () => null,
  ChargeDescription: (recorded) => `${recorded.entry.operation} by ${entryModel(recorded) ?? 'an unknown model'}`,
  ChargeFrequency: () => 'Usage-Based',
  PricingCategory: () => 'Standard',
  PricingQuantity: entryTokens,
  PricingUnit: () => 'Tokens',
  ConsumedQuantity: entryTokens,
  ConsumedUnit: () => 'Tokens',
  ProviderName: ({ entry }, { providerName }) => providerName(entry.provider),
  PublisherName: ({ entry }, { providerName }) => providerName(entry.provider),
  InvoiceIssuerName: ({ entry }, { providerName }) => providerName(entry.provider),
  ServiceCategory: () => 'AI and Machine Learning',
  ServiceSubcategory: () => 'Generative AI',
  ServiceName: ({ entry }, { providerName }) => `${providerName(entry.provider)} API`,
  SkuId: (recorded) => `${recorded.entry.provider}/${entryModel(recorded) ?? 'unknown'}`,
  SkuPriceId: (recorded) => entryView(recorded).priceVersion,
  ResourceId: ({ entry }) => entry.keyId || null,
  ResourceName: keyNameCell,
  ResourceType: ({ entry }) => (entry.keyId === '' ? null : 'Wrapped key'),
  Tags: ({ entry }) => JSON.stringify(entry.tags),
  x_CallId: ({ entry }) => (entry.source === 'provider_report' ? null : entry.callId),
  x_Model: entryModel,
  x_Source: ({ entry }) => entry.source,
  x_Outcome: ({ entry }) => entry.outcome,
  x_UncertainReason: ({ entry }) => entry.uncertainReason,
  x_UncertainUpTo: (recorded) => entryView(recorded).uncertainUpTo ?? null,
};
const CSV = 'text/csv; charset=utf-8; header=present';
const JSONL = 'application/jsonl; charset=utf-8';

export const exportEntries = endpoint(
  'GET /api/manage/export',
  async ({ caller, query }, { clock, records, reports, unproxiedUsage, providers }: ExportServices) => {
    const workspace = await records.workspaces.get(caller.workspaceId);
    const keyNames = new Map((await records.keys.list(workspace.id)).map(({ id, name }) => [id, name]));
    const context = {
      workspace,
      providerName: (id: string) => providers.get(id)?.name ?? id,
      keyName: (id: string) => keyNames.get(id) ?? null,
    };
    const range = readPeriod(query.startDate, query.endDate, clock());
    const filter = readFilter(query);
    const pages = concatPages(readPages(reports, workspace.id, { range, filter }), () =>
      unproxiedPage(unproxiedUsage, workspace.id, { range, filter }),
    );
    const extension = query.format === 'focus' ? 'focus.csv' : query.format;
    return new Response(ReadableStream.from(writeLines(query.format, pages, context)), {
      headers: {
        'content-type': query.format === 'jsonl' ? JSONL : CSV,
        'content-disposition': `attachment; filename="tollbook-${workspace.id}.${extension}"`,
      },
    });
  },
);

/**
 * Reads a page after the client has taken the previous one, so that memory holds one page even if the client is slow.
 */
async function* readPages(
  reports: UsageQueries,
  workspaceId: string,
  query: Pick<EntriesQuery, 'range' | 'filter'>,
): AsyncGenerator<readonly RecordedEntry[]> {
  let cursor: string | null = null;
  let rowCount = 0;
  do {
    const page = await reports.entriesPage(workspaceId, {
      ...query,
      cursor,
      limit: LIMITS.exportPageEntries,
      scanMax: LIMITS.entriesScanMax,
    });
    rowCount += page.rows.length;
    // The file must not look complete when it isn't: aborting makes the transfer fail.
    if (rowCount > LIMITS.exportRowsMax)
      throw new TollbookError(
        'unprocessable',
        `An export has at most ${LIMITS.exportRowsMax} rows. Choose a shorter period.`,
      );
    yield page.rows;
    cursor = page.next;
    // Other requests are served between two pages, also after an empty page.
    await setImmediate();
  } while (cursor !== null);
}

/** Returns a row for each day and model. One page holds them all. */
async function unproxiedPage(
  unproxiedUsage: Pick<UnproxiedUsageStore, 'dailySums'>,
  workspaceId: string,
  { range, filter }: Pick<EntriesQuery, 'range' | 'filter'>,
): Promise<readonly RecordedEntry[]> {
  const sums = (await unproxiedUsage.dailySums(workspaceId, range)).filter(({ provider, model }) =>
    passesFilter({ source: 'provider_report', provider, model }, filter),
  );
  return sums.toSorted((a, b) => b.day - a.day).map((sum) => unproxiedEntry(workspaceId, sum));
}

async function* concatPages(
  pages: AsyncGenerator<readonly RecordedEntry[]>,
  last: () => Promise<readonly RecordedEntry[]>,
): AsyncGenerator<readonly RecordedEntry[]> {
  yield* pages;
  yield await last();
}

async function* writeLines(
  format: (typeof FORMATS)[number],
  pages: AsyncGenerator<readonly RecordedEntry[]>,
  context: ExportContext,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const columns = format === 'focus' ? FOCUS_COLUMNS : ENTRY_COLUMNS;
  if (format !== 'jsonl') yield encoder.encode(csvLine(Object.keys(columns)));
  const write = (recorded: RecordedEntry): string =>
    format === 'jsonl'
      ? `${JSON.stringify(entryView(recorded))}\n`
      : csvLine(Object.values(columns).map((column) => column(recorded, context)));
  for await (const rows of pages) {
    // FOCUS lists charges; a call that was never sent is not one.
    const shown = format === 'focus' ? rows.filter(({ entry }) => entry.outcome !== 'not_sent') : rows;
    if (shown.length > 0) yield encoder.encode(shown.map(write).join(''));
  }
}
