import { OPEN_POLICY } from '../../domain/policy/policy.ts';
import { seenBody } from '../../contract/seen.ts';
import { requireUnchanged } from '../http/if-match.ts';
import { keyPolicy } from '../../contract/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { keyPolicyView, policyView } from './policy-view.ts';

export const clearPolicy = endpoint({
  method: 'DELETE',
  path: '/api/manage/policies/{keyId}',
  summary: 'Let a wrapped key do everything again that its provider allows',
  scope: 'admin',
  right: 'manage',
  body: seenBody,
  answer: keyPolicy,
  async handle({ caller, path, body }, { records, gateway: gate }) {
    const { workspaceId, actor } = caller;
    const key = await records.keys.setPolicy(workspaceId, path.keyId, OPEN_POLICY, actor, (now) =>
      requireUnchanged(body?.seen, { ...policyView(now.policy) }),
    );
    await gate.keyChanged(key.id);
    return keyPolicyView(key);
  },
});
