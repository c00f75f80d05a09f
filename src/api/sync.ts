import { TollbookError } from '../domain/errors.ts';
import type { LocalSource } from '../domain/sessions/local-call.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { isRecordTime, recordFault, type SessionRecord, SYNC_PATHS } from '../domain/sessions/session-record.ts';
import { syncResult, syncUpload } from '../contract/sync.ts';
import { endpoint } from './http/endpoint.ts';
import { unpricedFields } from './usage/uncertainty.ts';

export const syncClaudeCode = storeSessions('claude_code', 'Upload what sessions of Claude Code used');
export const syncCodex = storeSessions('codex', 'Upload what sessions of Codex used');

function storeSessions(source: LocalSource, summary: string) {
  return endpoint({
    method: 'POST',
    path: SYNC_PATHS[source],
    summary,
    description:
      'The records of one session and model replace all that was stored of them, so that a repeated or larger upload is free. Only hashes, a model name and numbers are taken: a field that is not listed is refused.',
    scope: 'sync:write',
    right: 'work',
    body: syncUpload,
    refusal: 'unprocessable',
    answer: syncResult,
    async handle({ caller, body }, { clock, sessions, pricingOf }) {
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
    },
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
