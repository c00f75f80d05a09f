import { seenBody } from '../../contract/seen.ts';
import { requireUnchanged } from '../http/if-match.ts';
import { limit } from '../../contract/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { limitView } from '../limit-view.ts';

export const endRaise = endpoint({
  method: 'DELETE',
  path: '/api/manage/limits/{id}/raise',
  summary: 'End a raise early',
  scope: 'admin',
  right: 'manage',
  body: seenBody,
  answer: limit,
  async handle({ caller, path, body }, { records, gateway: gate }) {
    const lowered = await records.limits.raise(caller.workspaceId, path.id, null, caller.actor, (now) =>
      requireUnchanged(body?.seen, limitView(now)),
    );
    gate.limitChanged(lowered);
    return limitView(lowered);
  },
});
