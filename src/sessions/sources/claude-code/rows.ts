import type { Terms } from './facts.ts';
import { type Fields, fieldsOf, isFields, textOf, timeOf, wordOf } from './fields.ts';
import { type LoggedUsage, loggedUsage } from './usage.ts';

/** A row that tells of a call's usage: what is looked at, as logged. */
export interface UsageRow {
  /** Of the answer; where the log has none, what else names the row. */
  readonly id: string;
  readonly requestId: string | null;
  /** As the row says, which in a copy may be another one's. */
  readonly sessionId: string | null;
  /** It is the session that asked, and not the one whose file this is. */
  readonly asked: boolean;
  readonly cwd: string | null;
  readonly model: string;
  /** Epoch ms. */
  readonly at: number | null;
  readonly stopReason: string | null;
  readonly sidechain: boolean;
  /** A subagent's row, repeated in the file of the session. */
  readonly progress: boolean;
  /** Copied from the session that this one was branched off. */
  readonly forked: boolean;
  /** null = a count is none that can be believed. */
  readonly usage: LoggedUsage | null;
  readonly terms: Terms;
}

export const UNKNOWN_MODEL = 'unknown';
/** What Claude Code itself says in the place of an answer. */
export const NO_MODEL = '<synthetic>';

/** null = the row tells of no call. */
export function usageRowOf(value: unknown): UsageRow | null {
  const outer = fieldsOf(value);
  const progress = outer['type'] === 'progress';
  const row = progress ? nestedRow(outer) : outer;
  if (row === null || !(row['type'] === 'assistant' || row['type'] === undefined || row['type'] === null)) return null;
  const message = fieldsOf(row['message']);
  const { usage } = message;
  if (!isFields(usage) || message['model'] === NO_MODEL || row['isApiErrorMessage'] === true) return null;
  const requestId = textOf(row['requestId']);
  const id = textOf(message['id']) ?? requestId ?? textOf(row['uuid']) ?? textOf(row['timestamp']);
  if (id === null) return null;
  const asker = textOf(row['requestSessionId']);
  return {
    id,
    requestId,
    sessionId: asker ?? textOf(outer['sessionId']) ?? textOf(row['sessionId']),
    asked: asker !== null,
    cwd: textOf(outer['cwd']) ?? textOf(row['cwd']),
    model: textOf(message['model']) ?? UNKNOWN_MODEL,
    at: timeOf(row['timestamp']) ?? timeOf(outer['timestamp']),
    stopReason: textOf(message['stop_reason']),
    sidechain: row['isSidechain'] === true,
    progress,
    forked: isFields(outer['forkedFrom']),
    usage: loggedUsage(usage),
    terms: [wordOf(usage['service_tier']), wordOf(usage['speed']), wordOf(usage['inference_geo'])],
  };
}

function nestedRow(outer: Fields): Fields | null {
  const data = fieldsOf(outer['data']);
  return data['type'] === 'agent_progress' ? fieldsOf(data['message']) : null;
}
