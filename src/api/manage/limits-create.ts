import { limit } from '../../contract/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { limitInput, readLimitKind, readNewLimit } from './limit-input.ts';
import { limitView } from '../limit-view.ts';

export const createLimit = endpoint({
  method: 'POST',
  path: '/api/manage/limits',
  summary: 'Make a limit',
  description: 'It holds within a second and counts what its window has seen already.',
  scope: 'admin',
  right: 'manage',
  body: limitInput,
  answer: limit,
  status: 201,
  async handle({ caller, body }, { records, providers, gateway: gate }) {
    const input = readNewLimit(body, readLimitKind(body, caller.workspaceId), { providers });
    const created = await records.limits.create(input, caller.actor);
    gate.limitChanged(created);
    return limitView(created);
  },
});
