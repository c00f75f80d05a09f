import { parsePolicy } from '../../core/parse-policy.ts';
import { keyPolicy, writtenPolicy } from '../contract-limits.ts';
import { endpoint } from '../endpoint.ts';
import { keyPolicyView } from './policy-view.ts';

export const setPolicy = endpoint({
  method: 'PUT',
  path: '/api/manage/policies/{keyId}',
  summary: 'Set what a wrapped key may do',
  description: 'Replaces the whole policy: a field that is not given allows what the provider allows.',
  scope: 'admin',
  right: 'manage',
  body: writtenPolicy,
  answer: keyPolicy,
  async handle({ caller, path, body }, { records, gate }) {
    const key = await records.keys.setPolicy(caller.workspaceId, path.keyId, parsePolicy(body), caller.actor);
    await gate.keyChanged(key.id);
    return keyPolicyView(key);
  },
});
