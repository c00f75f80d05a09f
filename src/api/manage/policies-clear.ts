import { OPEN_POLICY } from '../../core/policy.ts';
import { keyPolicy } from '../contract-limits.ts';
import { endpoint } from '../endpoint.ts';
import { keyPolicyView } from './policy-view.ts';

export const clearPolicy = endpoint({
  method: 'DELETE',
  path: '/api/manage/policies/{keyId}',
  summary: 'Let a wrapped key do everything again that its provider allows',
  scope: 'admin',
  right: 'manage',
  answer: keyPolicy,
  async handle({ caller, path }, { records, gate }) {
    const key = await records.keys.setPolicy(caller.workspaceId, path.keyId, OPEN_POLICY, caller.actor);
    await gate.keyChanged(key.id);
    return keyPolicyView(key);
  },
});
