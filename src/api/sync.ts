import { TollbookError } from '../domain/errors.ts';
import type { LocalSource } from '../domain/sessions/local-call.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { isRecordTime, recordFault, type SessionRecord } from '../domain/sessions/session-record.ts';
import { endpoint } from './http/endpoint.ts';
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

export const syncClaudeCode = storeSessions('POST /api/mcp/sync/claude-code', 'claude_code');
export const syncCodex = storeSessions('POST /api/mcp/sync/codex', 'codex');

function storeSessions(route: 'POST /api/mcp/sync/claude-code' | 'POST /api/mcp/sync/codex', source: LocalSource) {
  return endpoint(route, async ({ caller, body }, { clock, sessions, pricingOf }: SyncServices) => {
    body.sessions.forEach((record, index) => checkRecord(record, index, clock()));
    const { workspaceId, actor: tokenId } = caller;
    const upload = { workspaceId, source, tokenId, records: body.sessions };
    const uploaded = await sessions.upload(upload, pricingOf(workspaceId));
    const { cost, calls } = uploaded.counted;
    return {
      records: body.sessions.length,
      sessions: uploaded.sessions,
      replaced: uploaded.replaced,
      cost: usdFromNano(cost),
      calls,
      ...unpricedFields(uploaded.counted),
    };
  });
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
