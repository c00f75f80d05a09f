import type { CallContext } from '../../domain/usage/call-context.ts';
import {
  CALL_OUTCOMES,
  type Entry,
  ENTRY_SOURCES,
  type OpenWork,
  type PricedCosts,
  UNCERTAIN_REASONS,
  type UsageSource,
} from '../../domain/usage/call.ts';
import { formatProvenance, parseProvenance } from '../../domain/pricing/provenance.ts';
import type { Usage } from '../../domain/usage/usage.ts';
import type { EntryCounts } from '../totals.ts';
import { number, numberOrNull, type ResultRow, text, textOrNull } from './result-row.ts';
import { type IdOf, type NameTable, NO_NAME } from './name-table.ts';
import type { SqlSteps } from './steps.ts';
import { modelPlacement, type ValueCaps } from './rollup-caps.ts';
import { type CounterRef, LIMIT_UNITS } from '../../domain/limits/limit.ts';
import { type CounterRefRow, readCounterRefRow, toCounterRefRow } from '../../domain/limits/counter-ref.ts';

/** Serializes the counters that an entry names; null = none. */
function touchedText(touched: readonly CounterRef[]): string | null {
  return touched.length === 0 ? null : JSON.stringify(toCounterRefRow(touched, (unit) => unit));
}

function parseTouched(stored: string | null): CounterRef[] {
  if (stored === null) return [];
  return readCounterRefRow(JSON.parse(stored) as CounterRefRow, (word) => LIMIT_UNITS.find((unit) => unit === word));
}

/** Numbers of names, and the caps that decide which new names get one. */
export interface NameSources {
  readonly names: NameTable;
  readonly caps: ValueCaps;
}

/** An entry with what it counts. */
export interface MeasuredEntry {
  readonly entry: Entry;
  readonly counts: EntryCounts;
}

/** Returns the stored columns of entries. */
export function* toEntryRows(words: NameSources, entries: readonly MeasuredEntry[]): SqlSteps<EntryRow[]> {
  const models = yield* placeModels(words, entries);
  return yield* words.names.resolve((idOf) =>
    entries.map((one) => toEntryRow(one, idOf, modelColumns(words, models, idOf, one))),
  );
}

interface ModelColumns {
  readonly requested_model: number;
  readonly requested_model_text: string | null;
  readonly model: number;
  readonly model_text: string | null;
}

/**
 * Returns the numbers of models that have one. Clients may request any name and names are kept for ever, so a new name
 * gets a number only if it has a row in a roll-up, whose number per day is bounded. Others are text in their entry.
 */
function* placeModels(
  { names, caps }: NameSources,
  entries: readonly MeasuredEntry[],
): SqlSteps<ReadonlyMap<string, number>> {
  const all = new Set<string>();
  for (const { entry } of entries) {
    if (entry.model !== null) all.add(entry.model);
    if (entry.requestedModel !== null) all.add(entry.requestedModel);
  }
  const models = yield* names.findAll(all);
  if (models.size === all.size) return models;
  const unknown = entries.filter(
    ({ entry, counts }) => entry.model !== null && counts.calls === 1 && !models.has(entry.model),
  );
  const workspaces = yield* names.ids(unknown.map(({ entry }) => entry.workspaceId));
  yield* caps.place(unknown.map(({ entry }) => modelPlacement(workspaces.get(entry.workspaceId) ?? NO_NAME, entry)));
  return yield* names.findAll(all);
}

function modelColumns(
  { caps }: NameSources,
  models: ReadonlyMap<string, number>,
  idOf: IdOf,
  { entry, counts }: MeasuredEntry,
): ModelColumns {
  const { model, requestedModel } = entry;
  const known = model === null ? NO_NAME : models.get(model);
  const placed = (): number =>
    counts.calls === 1 ? caps.numberOf(modelPlacement(idOf(entry.workspaceId), entry)) : NO_NAME;
  const asked = requestedModel === null ? NO_NAME : models.get(requestedModel);
  return {
    requested_model: asked ?? NO_NAME,
    requested_model_text: asked === undefined ? requestedModel : null,
    model: known ?? placed(),
    model_text: known === undefined ? model : null,
  };
}

type ColumnValue = string | number | null;

/** Columns that hold the number of a name. */
const NAMED = [
  'workspace',
  'source',
  'key',
  'provider',
  'operation',
  'requested_model',
  'model',
  'outcome',
  'uncertain_reason',
  'usage_source',
  'price_version',
] as const;

/** Columns of `entries` without its number. */
export const COLUMNS = [
  'call_id',
  'workspace',
  'started_at',
  'ended_at',
  'first_byte_ms',
  'source',
  'key',
  'provider',
  'operation',
  'requested_model',
  'requested_model_text',
  'model',
  'model_text',
  'stream',
  'outcome',
  'uncertain_reason',
  'status',
  'error_type',
  'usage_source',
  'price_version',
  'cost',
  'hold_usd',
  'hold_input',
  'hold_output',
  'shortened_output',
  'shortened_uses',
  'open_work',
  'counted_usd',
  'counted_input',
  'counted_output',
  'sent',
  'failed_calls',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'unpriced_calls',
  'uncertain_calls',
  'uncertain_up_to',
  'unpriced_up_to',
  'list_beyond_cost',
  'contracted_beyond_cost',
  'uncertain_input_tokens',
  'uncertain_output_tokens',
  'tags',
  'session_hash',
  'session_name',
  'agent',
  'parent_agent',
  'run',
  'request_class',
  'request_id',
  'response_id',
  'usage',
  'counter_refs',
] as const;

export type EntryRow = ReturnType<typeof toEntryRow>;

/** Returns the stored columns of an entry, in the order of `COLUMNS`. */
function toEntryRow({ entry, counts }: MeasuredEntry, idOf: IdOf, models: ModelColumns) {
  return {
    call_id: entry.callId,
    workspace: idOf(entry.workspaceId),
    started_at: entry.startedAt,
    ended_at: entry.endedAt,
    first_byte_ms: entry.firstByteMs,
    source: idOf(entry.source),
    key: idOf(entry.keyId),
    provider: idOf(entry.provider),
    operation: idOf(entry.operation),
    ...models,
    stream: entry.stream ? 1 : 0,
    outcome: idOf(entry.outcome),
    uncertain_reason: idOf(entry.uncertainReason),
    status: entry.status,
    error_type: entry.errorType ?? null,
    usage_source: idOf(entry.usageSource),
    price_version: idOf(entry.provenance && formatProvenance(entry.provenance)),
    cost: entry.cost,
    hold_usd: entry.hold.usd,
    hold_input: entry.hold.inputTokens,
    hold_output: entry.hold.outputTokens,
    shortened_output: entry.shortenedTo && entry.shortenedTo.outputTokens,
    shortened_uses: entry.shortenedTo && entry.shortenedTo.toolUses,
    open_work: entry.openWork ? JSON.stringify(entry.openWork) : null,
    counted_usd: entry.counted.usd,
    counted_input: entry.counted.inputTokens,
    counted_output: entry.counted.outputTokens,
    sent: counts.calls,
    failed_calls: counts.failedCalls,
    input_tokens: counts.inputTokens,
    cache_read_tokens: counts.cacheReadTokens,
    cache_write_tokens: counts.cacheWriteTokens,
    output_tokens: counts.outputTokens,
    unpriced_calls: counts.unpricedCalls,
    uncertain_calls: counts.uncertainCalls,
    uncertain_up_to: counts.uncertainUpTo,
    unpriced_up_to: counts.unpricedUpTo,
    list_beyond_cost: counts.listBeyondCost,
    contracted_beyond_cost: counts.contractedBeyondCost,
    uncertain_input_tokens: counts.uncertainInputTokens,
    uncertain_output_tokens: counts.uncertainOutputTokens,
    tags: JSON.stringify(entry.tags),
    session_hash: entry.sessionHash,
    ...contextColumns(entry),
    request_id: entry.requestId,
    response_id: entry.responseId,
    usage: entry.usage && JSON.stringify(entry.usage),
    counter_refs: touchedText(entry.touched),
  } satisfies Record<(typeof COLUMNS)[number], ColumnValue>;
}

/** Returns the costs by prices, from what they exceed the cost by; null = they equal it. */
export function readPriced(cost: number | null, listBeyond: number, contractedBeyond: number): PricedCosts | null {
  if (cost === null || (listBeyond === 0 && contractedBeyond === 0)) return null;
  return { list: cost + listBeyond, contracted: cost + contractedBeyond };
}

function contextColumns({ context, sessionHash }: Entry) {
  const { session, agent, parentAgent, run, requestClass } = context;
  return {
    session_name: session === sessionHash ? null : session,
    agent,
    parent_agent: parentAgent,
    run,
    request_class: requestClass,
  };
}

/** Columns that `fromEntryRow` needs, selected from `entries e`, with names as text. */
export const ENTRY_COLUMNS = [
  'e.*',
  ...NAMED.map((column) => `(SELECT text FROM names WHERE id = e.${column}) AS ${column}_name`),
].join(', ');

export function fromEntryRow(row: ResultRow): Entry {
  const version = textOrNull(row, 'price_version_name');
  const cost = numberOrNull(row, 'cost');
  const errorType = textOrNull(row, 'error_type');
  const openWork = textOrNull(row, 'open_work');
  const priced = readPriced(cost, number(row, 'list_beyond_cost'), number(row, 'contracted_beyond_cost'));
  return {
    callId: text(row, 'call_id'),
    workspaceId: text(row, 'workspace_name'),
    keyId: text(row, 'key_name'),
    provider: text(row, 'provider_name'),
    operation: text(row, 'operation_name'),
    requestedModel: textOrNull(row, 'requested_model_text') ?? textOrNull(row, 'requested_model_name'),
    stream: row['stream'] === 1,
    tags: JSON.parse(text(row, 'tags')) as Record<string, string>,
    sessionHash: textOrNull(row, 'session_hash'),
    context: readContext(row),
    shortenedTo: readShortened(row),
    startedAt: number(row, 'started_at'),
    hold: readAmounts(row, 'hold'),
    touched: parseTouched(textOrNull(row, 'counter_refs')),
    endedAt: number(row, 'ended_at'),
    outcome: storedEnum(CALL_OUTCOMES, text(row, 'outcome_name')),
    uncertainReason:
      row['uncertain_reason_name'] === null ? null : storedEnum(UNCERTAIN_REASONS, text(row, 'uncertain_reason_name')),
    status: number(row, 'status'),
    usageSource: storedEnum(USAGE_SOURCES, text(row, 'usage_source_name')),
    usage: row['usage'] === null ? null : (JSON.parse(text(row, 'usage')) as Usage),
    model: textOrNull(row, 'model_text') ?? textOrNull(row, 'model_name'),
    cost,
    ...(priced && { priced }),
    ...(errorType !== null && { errorType }),
    ...(openWork !== null && { openWork: JSON.parse(openWork) as OpenWork }),
    counted: readAmounts(row, 'counted'),
    provenance: version === null ? null : parseProvenance(version),
    requestId: textOrNull(row, 'request_id'),
    responseId: textOrNull(row, 'response_id'),
    firstByteMs: numberOrNull(row, 'first_byte_ms'),
    source: storedEnum(ENTRY_SOURCES, text(row, 'source_name')),
  };
}

export function readContext(row: ResultRow): CallContext {
  return {
    session: textOrNull(row, 'session_name') ?? textOrNull(row, 'session_hash'),
    agent: textOrNull(row, 'agent'),
    parentAgent: textOrNull(row, 'parent_agent'),
    run: textOrNull(row, 'run'),
    requestClass: textOrNull(row, 'request_class'),
  };
}

function readShortened(row: ResultRow): Entry['shortenedTo'] {
  const [outputTokens, toolUses] = [numberOrNull(row, 'shortened_output'), numberOrNull(row, 'shortened_uses')];
  return outputTokens === null && toolUses === null ? null : { outputTokens, toolUses };
}

const USAGE_SOURCES: readonly UsageSource[] = ['reported', 'counted', 'none'];

export function readAmounts(row: ResultRow, name: 'hold' | 'counted'): Entry['hold'] {
  return {
    usd: numberOrNull(row, `${name}_usd`),
    inputTokens: number(row, `${name}_input`),
    outputTokens: number(row, `${name}_output`),
  };
}

function storedEnum<Word extends string>(words: readonly Word[], value: string): Word {
  const found = words.find((word) => word === value);
  if (found === undefined) throw new Error(`Stored word "${value}" is unknown.`);
  return found;
}
