import { seenBody } from '../../contract/seen.ts';
import { requireUnchanged } from '../http/if-match.ts';
import { limit } from '../../contract/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { limitView } from '../limit-view.ts';

export const removeLimit = endpoint({
  method: 'DELETE',
  path: '/api/manage/limits/{id}',
  summary: 'Remove a limit',
  description: 'Its counters go with it; the book keeps every entry.',
  scope: 'admin',
  right: 'manage',
  body: seenBody,
  answer: limit,
  async handle({ caller, path, body }, { records, gateway: gate }) {
    const removed = await records.limits.remove(caller.workspaceId, path.id, caller.actor, (now) =>
      requireUnchanged(body?.seen, limitView(now)),
    );
    gate.limitRemoved(removed);
    return limitView(removed);
  },
});
