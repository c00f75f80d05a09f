import type { Amounts, CallBegin, CallEnd, Entry } from '../core/call.ts';
import type { Usage } from '../core/usage.ts';

/**
 * Text of calls in the journal: JSON lists, because names of fields would be half of the bytes and of the time.
 * Positions are part of the file's schema version: append to them, never reorder.
 */
type AmountsRow = [Amounts['usd'], Amounts['inputTokens'], Amounts['outputTokens']];

type BeginRow = [
  CallBegin['callId'],
  CallBegin['workspaceId'],
  CallBegin['keyId'],
  CallBegin['provider'],
  CallBegin['operation'],
  CallBegin['askedModel'],
  stream: 0 | 1,
  CallBegin['tags'],
  CallBegin['sessionHash'],
  CallBegin['beganAt'],
  ...hold: AmountsRow,
];

type EndRow = [
  CallEnd['endedAt'],
  CallEnd['outcome'],
  CallEnd['doubt'],
  CallEnd['status'],
  CallEnd['usageSource'],
  CallEnd['usage'],
  CallEnd['model'],
  CallEnd['cost'],
  ...counted: AmountsRow,
  CallEnd['priceVersion'],
  CallEnd['requestId'],
  CallEnd['responseId'],
  CallEnd['firstByteMs'],
];

const BEGIN_FIELDS = 13;
const END_FIELDS = 15;

/** JSON text holds neither character unescaped. */
const BETWEEN_BEGIN_AND_END = '\t';
const BETWEEN_CALLS = '\n';

export function encodeBegin(call: CallBegin): string {
  const { hold } = call;
  const row: BeginRow = [
    call.callId,
    call.workspaceId,
    call.keyId,
    call.provider,
    call.operation,
    call.askedModel,
    call.stream ? 1 : 0,
    call.tags,
    call.sessionHash,
    call.beganAt,
    hold.usd,
    hold.inputTokens,
    hold.outputTokens,
  ];
  return JSON.stringify(row);
}

export function decodeBegin(text: string): CallBegin {
  const row = parseRow(text, BEGIN_FIELDS) as BeginRow;
  return {
    callId: row[0],
    workspaceId: row[1],
    keyId: row[2],
    provider: row[3],
    operation: row[4],
    askedModel: row[5],
    stream: row[6] === 1,
    tags: row[7],
    sessionHash: row[8],
    beganAt: row[9],
    hold: { usd: row[10], inputTokens: row[11], outputTokens: row[12] },
  };
}

/** The call id is not repeated: an end is always kept beside its begin. */
export function encodeEnd(end: CallEnd): string {
  const { counted } = end;
  const row: EndRow = [
    end.endedAt,
    end.outcome,
    end.doubt,
    end.status,
    end.usageSource,
    end.usage,
    end.model,
    end.cost,
    counted.usd,
    counted.inputTokens,
    counted.outputTokens,
    end.priceVersion,
    end.requestId,
    end.responseId,
    end.firstByteMs,
  ];
  return JSON.stringify(row);
}

export function encodeUsage(usage: Usage): string {
  return JSON.stringify(usage);
}

export function decodeUsage(text: string): Usage {
  return JSON.parse(text) as Usage;
}

/** One ended call: its begin and its end. */
export function joinEnded(begin: string, end: string): string {
  return begin + BETWEEN_BEGIN_AND_END + end;
}

/** Ended calls, in the order of their `end_seq`. */
export function joinCalls(calls: readonly string[]): string {
  return calls.join(BETWEEN_CALLS);
}

export function splitCalls(text: string): string[] {
  return text.split(BETWEEN_CALLS);
}

/** Throws when the text is not what `joinEnded` made. */
export function decodeEntry(ended: string): Entry {
  const border = ended.indexOf(BETWEEN_BEGIN_AND_END);
  const begin = decodeBegin(ended.slice(0, border));
  const end = parseRow(ended.slice(border + 1), END_FIELDS) as EndRow;
  return {
    callId: begin.callId,
    workspaceId: begin.workspaceId,
    keyId: begin.keyId,
    provider: begin.provider,
    operation: begin.operation,
    askedModel: begin.askedModel,
    stream: begin.stream,
    tags: begin.tags,
    sessionHash: begin.sessionHash,
    beganAt: begin.beganAt,
    hold: begin.hold,
    endedAt: end[0],
    outcome: end[1],
    doubt: end[2],
    status: end[3],
    usageSource: end[4],
    usage: end[5],
    model: end[6],
    cost: end[7],
    counted: { usd: end[8], inputTokens: end[9], outputTokens: end[10] },
    priceVersion: end[11],
    requestId: end[12],
    responseId: end[13],
    firstByteMs: end[14],
    source: 'proxy',
  };
}

function parseRow(text: string, fields: number): unknown[] {
  const row: unknown = JSON.parse(text);
  if (!Array.isArray(row) || row.length < fields) throw new SyntaxError('A row of the journal is not a whole call.');
  return row;
}
