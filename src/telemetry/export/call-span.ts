import { hash } from 'node:crypto';
import { usdFromNano } from '../../domain/money/money.ts';
import { cardVersions } from '../../domain/pricing/provenance.ts';
import type { Entry } from '../../domain/usage/call.ts';
import {
  CACHE_READ_CLASSES,
  CACHE_WRITE_CLASSES,
  inputTokens,
  outputTokens,
  sumClasses,
  totalTokens,
} from '../../domain/usage/usage.ts';
import { providerToName } from '../provider-names.ts';
import { type OtlpAttributes, type KeyValue, toKeyValues, toNanoTime } from './message.ts';

/** A span in the JSON form of OTLP. */
export interface CallSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly status: { readonly code?: number };
  readonly flags: number;
}

const CLIENT = 3;
const STATUS_ERROR = 2;
const SAMPLED = 1;
/** Flags of a span that says whether its parent is in another process. */
const KNOWS_PARENT = 0x100;
const PARENT_IS_REMOTE = 0x200;

/** Operations that the conventions name; others keep the provider's name. */
const OPERATIONS: Readonly<Record<string, string>> = {
  messages: 'chat',
  'chat.completions': 'chat',
  responses: 'chat',
  converse: 'chat',
  completions: 'text_completion',
  generateContent: 'generate_content',
  streamGenerateContent: 'generate_content',
  embedContent: 'embeddings',
  batchEmbedContents: 'embeddings',
};

/** Returns false if the client's trace is not sampled, so that the span would have no parent. */
export function isSampled({ context: { parentSpan } }: Pick<Entry, 'context'>): boolean {
  return parentSpan === undefined || (readFlags(parentSpan) & SAMPLED) !== 0;
}

/** Returns the attributes by which metrics of calls are grouped. */
export function callAttributes(entry: Entry): OtlpAttributes {
  return {
    'gen_ai.operation.name': operationName(entry),
    'gen_ai.provider.name': providerToName(entry.provider),
    'gen_ai.request.model': entry.requestedModel,
    'gen_ai.response.model': entry.model,
  };
}

/** Returns what went wrong with a call: the HTTP status of an error, or how it ended; null = nothing. */
export function errorType({ status, outcome }: Pick<Entry, 'status' | 'outcome'>): string | null {
  if (status >= 400) return String(status);
  return outcome === 'completed' ? null : outcome;
}

/**
 * Returns a call as a client span of the GenAI conventions. Its ids follow from the call's, so that a span that is sent
 * twice is the same one.
 */
export function callSpan(entry: Entry, isExperimental: boolean): CallSpan {
  const { parentSpan } = entry.context;
  const [traceId = '', parentSpanId = ''] = parentSpan?.split('-') ?? [];
  const own = hash('sha256', entry.callId);
  const error = errorType(entry);
  const operation = operationName(entry);
  return {
    traceId: traceId || own.slice(0, 32),
    spanId: own.slice(32, 48),
    ...(parentSpanId !== '' && { parentSpanId }),
    name: entry.requestedModel === null ? operation : `${operation} ${entry.requestedModel}`,
    kind: CLIENT,
    startTimeUnixNano: toNanoTime(entry.startedAt),
    endTimeUnixNano: toNanoTime(Math.max(entry.startedAt, entry.endedAt)),
    attributes: toKeyValues({
      ...callAttributes(entry),
      ...answerAttributes(entry, error),
      ...usageAttributes(entry, isExperimental),
      ...ledgerAttributes(entry),
      ...(isExperimental && costAttributes(entry)),
    }),
    status: error === null ? {} : { code: STATUS_ERROR },
    flags: parentSpan === undefined ? SAMPLED | KNOWS_PARENT : readFlags(parentSpan) | KNOWS_PARENT | PARENT_IS_REMOTE,
  };
}

function operationName({ operation }: Pick<Entry, 'operation'>): string {
  return OPERATIONS[operation] ?? operation;
}

function readFlags(parentSpan: string): number {
  return Number.parseInt(parentSpan.slice(-2), 16);
}

function answerAttributes(entry: Entry, error: string | null): OtlpAttributes {
  const { context, stream, firstByteMs, status } = entry;
  return {
    'gen_ai.response.id': entry.responseId,
    'gen_ai.conversation.id': context.session,
    'gen_ai.agent.id': context.agent,
    'gen_ai.request.stream': stream || null,
    'gen_ai.response.time_to_first_chunk': stream && firstByteMs !== null ? firstByteMs / 1_000 : null,
    'http.response.status_code': status === 0 ? null : BigInt(status),
    'error.type': error,
  };
}

function usageAttributes({ usage }: Entry, isExperimental: boolean): OtlpAttributes {
  if (!usage) return {};
  const tokens = totalTokens(usage);
  const cacheRead = sumClasses(tokens, CACHE_READ_CLASSES);
  const cacheWrite = sumClasses(tokens, CACHE_WRITE_CLASSES);
  const writeName = isExperimental ? 'cache_write' : 'cache_creation';
  return {
    'gen_ai.usage.input_tokens': BigInt(inputTokens(tokens)),
    'gen_ai.usage.output_tokens': BigInt(outputTokens(tokens)),
    'gen_ai.usage.cache_read.input_tokens': cacheRead > 0 ? BigInt(cacheRead) : null,
    [`gen_ai.usage.${writeName}.input_tokens`]: cacheWrite > 0 ? BigInt(cacheWrite) : null,
    'gen_ai.usage.reasoning.output_tokens': usage.thinking > 0 ? BigInt(usage.thinking) : null,
  };
}

/** Returns attributes that only Tollbook knows. */
function ledgerAttributes(entry: Entry): OtlpAttributes {
  const { context, tags } = entry;
  return {
    'tollbook.call.id': entry.callId,
    'tollbook.workspace.id': entry.workspaceId,
    'tollbook.key.id': entry.keyId,
    'tollbook.run': context.run,
    'tollbook.request_class': context.requestClass,
    'tollbook.uncertain_reason': entry.uncertainReason,
    ...Object.fromEntries(Object.entries(tags).map(([key, value]) => [`tollbook.tag.${key}`, value])),
  };
}

/** Returns the effective cost; nothing if it is not known. */
function costAttributes({ cost, provenance }: Entry): OtlpAttributes {
  if (cost === null) return {};
  const versions = provenance ? cardVersions(provenance) : [];
  return {
    'gen_ai.usage.cost.amount': usdFromNano(cost),
    'gen_ai.usage.cost.currency': 'USD',
    'gen_ai.usage.cost.source': provenance?.from === 'provider' ? 'provider' : 'local',
    'tollbook.price_version': versions.length > 0 ? versions.join(' + ') : null,
  };
}
