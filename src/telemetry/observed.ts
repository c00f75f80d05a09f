import { hash } from 'node:crypto';
import { NO_CONTEXT, type CallContext } from '../domain/usage/call-context.ts';
import { inputTokens, NO_TERMS, type ServiceTerms, type TokenCounts, type Usage } from '../domain/usage/usage.ts';
import type { CodingAssistant, ObservedCall } from '../domain/observed/observed-call.ts';
import { RECORD_MODEL, UNNAMED_MODEL } from '../domain/sessions/session-record.ts';
import type { TelemetryRecord } from './record.ts';

const ID = /^[\w.:@/+=-]{1,200}$/;

/** The parts of a call that are in its record. */
export interface RecordedCall {
  readonly assistant: CodingAssistant | null;
  readonly provider: string;
  readonly model: string | null;
  /** Ids that the provider gave request and response; null = unknown. */
  readonly providerIds: readonly (string | null)[];
  readonly session: string | null;
  readonly context?: Partial<CallContext>;
  /** null = a count is missing or wrong, and the call is refused. */
  readonly tokens: TokenCounts | null;
  readonly terms?: Partial<ServiceTerms>;
  readonly thinking?: number;
  readonly startedAt?: number;
  /** nano-USD. */
  readonly statedCost?: number | null;
}

/** Returns the observed call of a record; null = its usage can't be read. */
export function toObservedCall(record: TelemetryRecord, tokenId: string, told: RecordedCall): ObservedCall | null {
  const { tokens, provider, assistant, session, statedCost = null } = told;
  if (!tokens) return null;
  const inferences = [{ model: null, tokens, promptTokens: inputTokens(tokens) }];
  const usage: Usage = {
    inferences,
    uses: {},
    thinking: told.thinking ?? 0,
    terms: { ...NO_TERMS, ...told.terms },
  };
  const model = told.model?.replace(/\[1m\]$/, '') ?? '';
  return {
    observationId: observationId(record, told),
    source: 'telemetry',
    signal: record.signal,
    assistant,
    tokenId,
    providerIds: told.providerIds.filter((id) => id !== null).filter((id) => ID.test(id)),
    callId: null,
    provider,
    model: RECORD_MODEL.test(model) ? model : UNNAMED_MODEL,
    startedAt: told.startedAt ?? record.startedAt,
    endedAt: record.endedAt,
    session,
    context: { ...NO_CONTEXT, session, ...told.context },
    tags: {},
    usage,
    statedCost,
  };
}

/** Returns an id that is equal for a record that is sent again, and only then. */
function observationId(record: TelemetryRecord, { session, providerIds }: RecordedCall): string {
  const { signal, name, service, startedAt, endedAt, traceId, spanId, attributes } = record;
  const told = [...attributes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const parts = [signal, name, service, startedAt, endedAt, traceId, spanId, session, providerIds, told];
  return hash('sha256', JSON.stringify(parts));
}

export function nanoFromUsd(usd: number | null): number | null {
  const nano = usd === null ? Number.NaN : Math.round(usd * 1_000_000_000);
  return Number.isSafeInteger(nano) ? nano : null;
}
