import type { TermsTuple } from './facts.ts';
import { asMembers, asText, asTime, asWord, isObject, type JsonObject } from '../../lib/json/values.ts';
import { type LoggedUsage, readLoggedUsage } from './usage.ts';

/** Members of a row with usage, as logged. */
export interface UsageRow {
  /** Answer id, or another id of the row if it is missing. */
  readonly id: string;
  readonly requestId: string | null;
  /** Session named in the row, which may be another one in a copy. */
  readonly sessionId: string | null;
  /** `sessionId` is the session that requested the call, which may not be the file's. */
  readonly asked: boolean;
  readonly cwd: string | null;
  readonly model: string;
  /** Epoch ms. */
  readonly at: number | null;
  readonly stopReason: string | null;
  readonly sidechain: boolean;
  /** Row of a subagent, repeated in the session's file. */
  readonly progress: boolean;
  /** Copied from the session from which this one was forked. */
  readonly forked: boolean;
  /** null = a count is not plausible. */
  readonly usage: LoggedUsage | null;
  readonly terms: TermsTuple;
}

export const UNKNOWN_MODEL = 'unknown';
/** Model of messages that Claude Code writes itself instead of an answer. */
export const NO_MODEL = '<synthetic>';

/** Reads a parsed row; null = it has no usage. */
export function readUsageRow(value: unknown): UsageRow | null {
  const outer = asMembers(value);
  const progress = outer['type'] === 'progress';
  const row = progress ? nestedRow(outer) : outer;
  if (row === null || !(row['type'] === 'assistant' || row['type'] === undefined || row['type'] === null)) return null;
  const message = asMembers(row['message']);
  const { usage } = message;
  if (!isObject(usage) || message['model'] === NO_MODEL || row['isApiErrorMessage'] === true) return null;
  const requestId = asText(row['requestId']);
  const id = asText(message['id']) ?? requestId ?? asText(row['uuid']) ?? asText(row['timestamp']);
  if (id === null) return null;
  const asker = asText(row['requestSessionId']);
  return {
    id,
    requestId,
    sessionId: asker ?? asText(outer['sessionId']) ?? asText(row['sessionId']),
    asked: asker !== null,
    cwd: asText(outer['cwd']) ?? asText(row['cwd']),
    model: asText(message['model']) ?? UNKNOWN_MODEL,
    at: asTime(row['timestamp']) ?? asTime(outer['timestamp']),
    stopReason: asText(message['stop_reason']),
    sidechain: row['isSidechain'] === true,
    progress,
    forked: isObject(outer['forkedFrom']),
    usage: readLoggedUsage(usage),
    terms: [asWord(usage['service_tier']), asWord(usage['speed']), asWord(usage['inference_geo'])],
  };
}

function nestedRow(outer: JsonObject): JsonObject | null {
  const data = asMembers(outer['data']);
  return data['type'] === 'agent_progress' ? asMembers(data['message']) : null;
}
