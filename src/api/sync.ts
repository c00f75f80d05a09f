import { TollbookError } from '../domain/errors.ts';
import type { LocalSource } from '../domain/sessions/local-call.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { isRecordTime, recordFault, type SessionRecord } from '../domain/sessions/session-record.ts';
import { type Caller, endpoint } from './http/endpoint.ts';
import type { SyncResult } from '../contract/sync.ts';
import { unpricedFields } from './usage/uncertainty.ts';
import type { Clock } from '../lib/clock.ts';
import type { SessionStore } from '../storage/session-store.ts';
import type { PricingOf } from '../storage/session-store.ts';

export interface SyncServices {
  readonly clock: Clock;
  readonly sessions: SessionStore;
  /** Returns the names and prices of a workspace's assistant sessions. */
  readonly pricingOf: PricingOf;
}

export const syncClaudeCode = storeSourceSessions('POST /api/mcp/sync/claude-code', 'claude_code');
export const syncCodex = storeSourceSessions('POST /api/mcp/sync/codex', 'codex');

export const syncSessions = endpoint('POST /api/mcp/sync/sessions', ({ caller, body }, services: SyncServices) =>
  storeSessions(caller, body.source, body.sessions, services),
);

function storeSourceSessions(
  route: 'POST /api/mcp/sync/claude-code' | 'POST /api/mcp/sync/codex',
  source: LocalSource,
) {
  return endpoint(route, ({ caller, body }, services: SyncServices) =>
    storeSessions(caller, source, body.sessions, services),
  );
}

async function storeSessions(
  { workspaceId, actor: tokenId }: Pick<Caller, 'workspaceId' | 'actor'>,
  source: LocalSource,
  records: readonly SessionRecord[],
  { clock, sessions, pricingOf }: SyncServices,
): Promise<SyncResult> {
  records.forEach((record, index) => checkRecord(record, index, clock()));
  const uploaded = await sessions.upload({ workspaceId, source, tokenId, records }, pricingOf(workspaceId));
  const { cost, calls } = uploaded.counted;
  return {
    records: records.length,
    sessions: uploaded.sessions,
    replaced: uploaded.replaced,
    cost: usdFromNano(cost),
    calls,
    ...unpricedFields(uploaded.counted),
  };
}

function checkRecord(record: SessionRecord, index: number, now: number): void {
  if (!isRecordTime(Date.parse(record.timestamp), now))
    throw refuseUpload(index, 'timestamp', 'is in the future, or before 2023');
  const fault = recordFault(record);
  if (fault !== null) throw refuseUpload(index, null, fault);
}

function refuseUpload(index: number, field: string | null, what: string): TollbookError {
  const name = ['sessions', index, ...(field === null ? [] : [field])].join('.');
  return new TollbookError('unprocessable', `${name} ${what}.`, name);
}
