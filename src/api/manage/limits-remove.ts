import { limit } from '../contract-limits.ts';
import { endpoint } from '../endpoint.ts';
import { limitView } from './limit-view.ts';

export const removeLimit = endpoint({
  method: 'DELETE',
  path: '/api/manage/limits/{id}',
  summary: 'Remove a limit',
  description: 'Its counters go with it; the book keeps every entry.',
  scope: 'admin',
  right: 'manage',
  answer: limit,
  async handle({ caller, path }, { records, gate }) {
    const removed = await records.limits.remove(caller.workspaceId, path.id, caller.actor);
    gate.limitRemoved(removed);
    return limitView(removed);
  },
});
