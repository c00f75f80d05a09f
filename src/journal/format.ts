import { type CallContext, NO_CONTEXT } from '../domain/usage/call-context.ts';
import type {
  CallAmounts,
  CallBegin,
  CallEnd,
  Entry,
  OpenWork,
  PricedCosts,
  ShortenedTo,
} from '../domain/usage/call.ts';
import type { FinishedCall, RefusedCall } from '../domain/usage/refused-call.ts';
import { type CounterRef, LIMIT_UNITS } from '../domain/limits/limit.ts';
import { formatProvenance, parseProvenance } from '../domain/pricing/provenance.ts';
import { readCounterRefRow, toCounterRefRow, type CounterRefRow } from '../domain/limits/counter-ref.ts';
import type { Inference, Usage, UseCounts } from '../domain/usage/usage.ts';

/**
 * Encodes calls for the journal as JSON lists, because field names would be half of the bytes and of the time.
 * Positions are part of the format version: append fields to a list, never reorder them. An appended field is
 * optional (`name?: …` at the end of its tuple), because older rows lack it; the field counts below, which every row
 * has, stay. Lists of one turn are joined by commas, so that a whole turn is one JSON text: parsing it in one piece
 * costs half of parsing call by call.
 */
type AmountsRow = [CallAmounts['usd'], CallAmounts['inputTokens'], CallAmounts['outputTokens']];

type BeginRow = [
  CallBegin['callId'],
  CallBegin['workspaceId'],
  CallBegin['keyId'],
  CallBegin['provider'],
  CallBegin['operation'],
  CallBegin['requestedModel'],
  stream: 0 | 1,
  CallBegin['tags'],
  CallBegin['sessionHash'],
  CallBegin['startedAt'],
  ...hold: AmountsRow,
  touched: CounterRefRow,
  context?: ContextRow | null,
  isSubscription?: 0 | 1,
  shortenedTo?: ShortenedRow | null,
  openWork?: OpenWork,
];

/** `session` is 0 if it is the session hash, which the row has already. */
type ContextRow = [
  session: CallContext['session'] | 0,
  CallContext['agent'],
  CallContext['parentAgent'],
  CallContext['run'],
  CallContext['requestClass'],
  olderAgents?: readonly string[] | null,
  parentSpan?: string,
];

type ShortenedRow = [ShortenedTo['outputTokens'], ShortenedTo['toolUses']];

/** Three items per inference; a nested list per inference would cost more. */
type InferencesRow = (Inference['model'] | Inference['tokens'] | Inference['promptTokens'])[];

type UsageRow = [
  thinking: number,
  tier: string | null,
  speed: string | null,
  geo: string | null,
  uses: UseCounts,
  inferences: InferencesRow,
];

type EndRow = [
  CallEnd['endedAt'],
  CallEnd['outcome'],
  CallEnd['uncertainReason'],
  CallEnd['status'],
  CallEnd['usageSource'],
  UsageRow | null,
  CallEnd['model'],
  CallEnd['cost'],
  ...counted: AmountsRow,
  provenance: string | null,
  CallEnd['requestId'],
  CallEnd['responseId'],
  CallEnd['firstByteMs'],
  adopted: CounterRefRow,
  priced?: [PricedCosts['list'], PricedCosts['contracted']] | null,
  errorType?: string,
];

type RefusedRow = [
  RefusedCall['at'],
  RefusedCall['callId'],
  isSum: 0 | 1,
  RefusedCall['calls'],
  RefusedCall['workspaceId'],
  RefusedCall['keyId'],
  RefusedCall['provider'],
  RefusedCall['model'],
  RefusedCall['limitId'],
  RefusedCall['value'],
  RefusedCall['unit'],
  RefusedCall['reason'],
  RefusedCall['needed'],
  RefusedCall['left'],
  RefusedCall['tags'],
  RefusedCall['sessionHash'],
  context: ContextRow | null,
];

/** Second row of a pair whose first is a refused call. */
const REFUSED = 0;

/** Number of fields that every row of a kind has. */
const BEGIN_FIELDS = 14;
const END_FIELDS = 16;
const REFUSED_FIELDS = 17;
const USAGE_FIELDS = 6;
const INFERENCE_FIELDS = 3;

/** An open call in its written form. */
export interface OpenText {
  readonly callId: string;
  /** Encoded `CallBegin`. */
  readonly begin: string;
  /** Encoded early usage; null = none. */
  readonly note: string | null;
}

export function encodeBegin(call: CallBegin): string {
  const { hold } = call;
  const row: BeginRow = [
    call.callId,
    call.workspaceId,
    call.keyId,
    call.provider,
    call.operation,
    call.requestedModel,
    call.stream ? 1 : 0,
    call.tags,
    call.sessionHash,
    call.startedAt,
    hold.usd,
    hold.inputTokens,
    hold.outputTokens,
    encodeTouched(call.touched),
  ];
  const { context, isSubscription, shortenedTo, openWork } = call;
  const isLong = shortenedTo !== null || openWork !== undefined;
  if (context !== NO_CONTEXT || isSubscription || isLong) row.push(context === NO_CONTEXT ? null : toContextRow(call));
  if (isSubscription || isLong) row.push(isSubscription ? 1 : 0);
  if (isLong) row.push(shortenedTo && [shortenedTo.outputTokens, shortenedTo.toolUses]);
  if (openWork) row.push(openWork);
  return JSON.stringify(row);
}

function toContextRow({ sessionHash, context }: Pick<CallBegin, 'sessionHash' | 'context'>): ContextRow | null {
  if (context === NO_CONTEXT) return null;
  const { session, agent, parentAgent, run, requestClass, olderAgents, parentSpan } = context;
  const name = session !== null && session === sessionHash ? 0 : session;
  const row: ContextRow = [name, agent, parentAgent, run, requestClass];
  if (olderAgents || parentSpan !== undefined) row.push(olderAgents ?? null);
  if (parentSpan !== undefined) row.push(parentSpan);
  return row;
}

function fromContextRow(row: ContextRow | null | undefined, sessionHash: string | null): CallContext {
  if (!row) return NO_CONTEXT;
  const [name, agent, parentAgent, run, requestClass, olderAgents, parentSpan] = row;
  const session = name === 0 ? sessionHash : name;
  return {
    session,
    agent,
    parentAgent,
    run,
    requestClass,
    ...(olderAgents && { olderAgents }),
    ...(parentSpan !== undefined && { parentSpan }),
  };
}

function fromShortenedRow(row: ShortenedRow | null | undefined): ShortenedTo | null {
  return !row ? null : { outputTokens: row[0], toolUses: row[1] };
}

export function decodeBegin(text: string): CallBegin {
  return decodeBeginRow(JSON.parse(text));
}

function decodeBeginRow(value: unknown): CallBegin {
  const row = asRow(value, BEGIN_FIELDS) as BeginRow;
  const begin: CallBegin = {
    callId: row[0],
    workspaceId: row[1],
    keyId: row[2],
    provider: row[3],
    operation: row[4],
    requestedModel: row[5],
    stream: row[6] === 1,
    tags: row[7],
    sessionHash: row[8],
    context: fromContextRow(row[14], row[8]),
    shortenedTo: fromShortenedRow(row[16]),
    startedAt: row[9],
    hold: { usd: row[10], inputTokens: row[11], outputTokens: row[12] },
    touched: decodeTouched(row[13]),
  };
  const openWork = row[17];
  if (row[15] !== 1 && !openWork) return begin;
  return { ...begin, ...(row[15] === 1 && { isSubscription: true }), ...(openWork && { openWork }) };
}

/** Encodes a refused call as the pair of rows that an ended call has. */
export function encodeRefused(call: RefusedCall): string {
  const row: RefusedRow = [
    call.at,
    call.callId,
    call.isSum ? 1 : 0,
    call.calls,
    call.workspaceId,
    call.keyId,
    call.provider,
    call.model,
    call.limitId,
    call.value,
    call.unit,
    call.reason,
    call.needed,
    call.left,
    call.tags,
    call.sessionHash,
    toContextRow(call),
  ];
  return `${JSON.stringify(row)},${REFUSED}`;
}

/** Returns how many calls an encoded refused call is. */
export function countRefused(text: string): number {
  const [row] = JSON.parse(`[${text}]`) as [unknown];
  return decodeRefusedRow(row).calls;
}

function decodeRefusedRow(value: unknown): RefusedCall {
  const row = asRow(value, REFUSED_FIELDS) as RefusedRow;
  return {
    at: row[0],
    callId: row[1],
    isSum: row[2] === 1,
    calls: row[3],
    workspaceId: row[4],
    keyId: row[5],
    provider: row[6],
    model: row[7],
    limitId: row[8],
    value: row[9],
    unit: row[10],
    reason: row[11],
    needed: row[12],
    left: row[13],
    tags: row[14],
    sessionHash: row[15],
    context: fromContextRow(row[16], row[15]),
  };
}

/** Encodes an end without the call id, because an end is always stored next to its begin. */
export function encodeEnd(end: CallEnd): string {
  const { counted } = end;
  const row: EndRow = [
    end.endedAt,
    end.outcome,
    end.uncertainReason,
    end.status,
    end.usageSource,
    end.usage && toUsageRow(end.usage),
    end.model,
    end.cost,
    counted.usd,
    counted.inputTokens,
    counted.outputTokens,
    end.provenance && formatProvenance(end.provenance),
    end.requestId,
    end.responseId,
    end.firstByteMs,
    end.adopted ? encodeTouched(end.adopted) : NO_TOUCHES,
  ];
  if (end.priced || end.errorType !== undefined) row.push(end.priced ? [end.priced.list, end.priced.contracted] : null);
  if (end.errorType !== undefined) row.push(end.errorType);
  return JSON.stringify(row);
}

const NO_TOUCHES: CounterRefRow = [];

function encodeTouched(touches: readonly CounterRef[]): CounterRefRow {
  return touches.length === 0 ? NO_TOUCHES : toCounterRefRow(touches, (unit) => LIMIT_UNITS.indexOf(unit));
}

function decodeTouched(row: CounterRefRow): CounterRef[] {
  return readCounterRefRow(row, (index) => LIMIT_UNITS[index as number]);
}

export function encodeUsage(usage: Usage): string {
  return JSON.stringify(toUsageRow(usage));
}

export function decodeUsage(text: string): Usage {
  return decodeUsageRow(JSON.parse(text));
}

function toUsageRow({ thinking, terms, uses, inferences }: Usage): UsageRow {
  const parts: InferencesRow = [];
  for (const { model, tokens, promptTokens } of inferences) parts.push(model, tokens, promptTokens);
  return [thinking, terms.tier, terms.speed, terms.geo, uses, parts];
}

function decodeUsageRow(value: unknown): Usage {
  const row = asRow(value, USAGE_FIELDS) as UsageRow;
  const parts = asRow(row[5], 0) as InferencesRow;
  const inferences: Inference[] = [];
  for (let at = 0; at < parts.length; at += INFERENCE_FIELDS)
    inferences.push({
      model: parts[at] as Inference['model'],
      tokens: parts[at + 1] as Inference['tokens'],
      promptTokens: parts[at + 2] as Inference['promptTokens'],
    });
  return { inferences, uses: row[4], thinking: row[0], terms: { tier: row[1], speed: row[2], geo: row[3] } };
}

/** Adds an open call to the text of a turn. */
export function addOpened(text: string, begin: string, note: string | null): string {
  return `${text}${text && ','}${begin},${note ?? 'null'}`;
}

/** Adds an ended call, with its begin, to the text of a turn. */
export function addEnded(text: string, begin: string, end: string): string {
  return `${text}${text && ','}${begin},${end}`;
}

/** Adds an encoded refused call to the text of a turn, among its ended calls. */
export function addRefused(text: string, refused: string): string {
  return `${text}${text && ','}${refused}`;
}

/** Decodes the text made by `addOpened`. Throws a `SyntaxError` for any other text. */
export function decodeOpened(text: string): OpenText[] {
  return readPairs(text, (begin, note) => ({
    callId: decodeBeginRow(begin).callId,
    begin: JSON.stringify(begin),
    note: note === null ? null : JSON.stringify(note),
  }));
}

/** Decodes the text made by `addEnded` and `addRefused`. Throws a `SyntaxError` for any other text. */
export function decodeEnded(text: string): FinishedCall[] {
  return readPairs(text, decodeFinishedRows);
}

function decodeFinishedRows(first: unknown, second: unknown): FinishedCall {
  return second === REFUSED ? decodeRefusedRow(first) : decodeEntryRows(first, second);
}

/** Builds an entry field by field, because spreading two parts makes all decoding a fifth slower. */
function decodeEntryRows(beginRow: unknown, endRow: unknown): Entry {
  const begin = decodeBeginRow(beginRow);
  const end = asRow(endRow, END_FIELDS) as EndRow;
  const entry: Entry = {
    callId: begin.callId,
    workspaceId: begin.workspaceId,
    keyId: begin.keyId,
    provider: begin.provider,
    operation: begin.operation,
    requestedModel: begin.requestedModel,
    stream: begin.stream,
    tags: begin.tags,
    sessionHash: begin.sessionHash,
    context: begin.context,
    shortenedTo: begin.shortenedTo,
    startedAt: begin.startedAt,
    hold: begin.hold,
    touched: end[15].length === 0 ? begin.touched : [...begin.touched, ...decodeTouched(end[15])],
    endedAt: end[0],
    outcome: end[1],
    uncertainReason: end[2],
    status: end[3],
    usageSource: end[4],
    usage: end[5] && decodeUsageRow(end[5]),
    model: end[6],
    cost: end[7],
    counted: { usd: end[8], inputTokens: end[9], outputTokens: end[10] },
    provenance: end[11] === null ? null : parseProvenance(end[11]),
    requestId: end[12],
    responseId: end[13],
    firstByteMs: end[14],
    source: 'proxy',
  };
  const [priced, errorType] = [end[16], end[17]];
  // Most calls have none of them.
  if (!priced && errorType === undefined && !begin.isSubscription && !begin.openWork) return entry;
  return {
    ...entry,
    ...(priced && { priced: { list: priced[0], contracted: priced[1] } }),
    ...(errorType !== undefined && { errorType }),
    ...(begin.isSubscription && { isSubscription: true }),
    ...(begin.openWork && { openWork: begin.openWork }),
  };
}

function readPairs<T>(text: string, read: (first: unknown, second: unknown) => T): T[] {
  const rows = JSON.parse(`[${text}]`) as unknown[];
  const found: T[] = [];
  if (rows.length % 2 !== 0) throw new SyntaxError('A row of the journal is cut.');
  for (let at = 0; at < rows.length; at += 2) found.push(read(rows[at], rows[at + 1]));
  return found;
}

function asRow(value: unknown, fields: number): unknown[] {
  if (Array.isArray(value) && value.length >= fields) return value;
  throw new SyntaxError('A row of the journal is not a whole call.');
}
