import { iso } from '../../domain/time/period.ts';
import type { RefusedCall } from '../../domain/usage/refused-call.ts';
import { type RefusedCallsShape, refusedCalls } from '../../contract/limits.ts';
import { endpoint } from '../http/endpoint.ts';

export const listRefusals = endpoint({
  method: 'GET',
  path: '/api/manage/limits/{id}/refusals',
  summary: 'Whom a limit refused lately, newest first',
  description: 'At most 20 calls since the gate was started. They were not sent, cost nothing, and are in no book.',
  scope: 'admin',
  right: 'read',
  answer: refusedCalls,
  async handle({ caller, path }, { records, refusals }) {
    const limit = await records.limits.get(caller.workspaceId, path.id);
    return (await refusals(limit)).map(refusedView);
  },
});

function refusedView({ at, ...call }: RefusedCall): RefusedCallsShape[number] {
  return { at: iso(at), ...call };
}
