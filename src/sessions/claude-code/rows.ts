import type { TermsTuple } from './facts.ts';
import { type RowFields, asFields, isFields, asText, asTime, asWord } from './fields.ts';
import { type LoggedUsage, readLoggedUsage } from './usage.ts';

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
  readonly terms: TermsTuple;
}

export const UNKNOWN_MODEL = 'unknown';
/** What Claude Code itself says in the place of an answer. */
export const NO_MODEL = '<synthetic>';

/** null = the row tells of no call. */
export function readUsageRow(value: unknown): UsageRow | null {
  const outer = asFields(value);
  const progress = outer['type'] === 'progress';
  const row = progress ? nestedRow(outer) : outer;
  if (row === null || !(row['type'] === 'assistant' || row['type'] === undefined || row['type'] === null)) return null;
  const message = asFields(row['message']);
  const { usage } = message;
  if (!isFields(usage) || message['model'] === NO_MODEL || row['isApiErrorMessage'] === true) return null;
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
    forked: isFields(outer['forkedFrom']),
    usage: readLoggedUsage(usage),
    terms: [asWord(usage['service_tier']), asWord(usage['speed']), asWord(usage['inference_geo'])],
  };
}

function nestedRow(outer: RowFields): RowFields | null {
  const data = asFields(outer['data']);
  return data['type'] === 'agent_progress' ? asFields(data['message']) : null;
}
