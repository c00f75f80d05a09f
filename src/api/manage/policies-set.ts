import { z } from 'zod';
import { parsePolicy } from '../../domain/policy/parse-policy.ts';
import { seen } from '../../contract/seen.ts';
import { requireUnchanged } from '../http/if-match.ts';
import { keyPolicy, writtenPolicy } from '../../contract/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { keyPolicyView, policyView } from './policy-view.ts';

export const setPolicy = endpoint({
  method: 'PUT',
  path: '/api/manage/policies/{keyId}',
  summary: 'Set what a wrapped key may do',
  description: 'Replaces the whole policy: a field that is not given allows what the provider allows.',
  scope: 'admin',
  right: 'manage',
  body: writtenPolicy,
  answer: keyPolicy,
  async handle({ caller, path, body }, { records, gateway: gate }) {
    const { written, asSeen } = splitSeen(body);
    const { policy: before } = await records.keys.get(caller.workspaceId, path.keyId);
    const key = await records.keys.setPolicy(
      caller.workspaceId,
      path.keyId,
      parsePolicy(written, before),
      caller.actor,
      (now) => requireUnchanged(asSeen, { ...policyView(now.policy) }),
    );
    await gate.keyChanged(key.id);
    return keyPolicyView(key);
  },
});

const withSeen = z.looseObject({ seen });

/** The rules are judged by the core, which knows of none that is called `seen`. */
function splitSeen(body: unknown) {
  const read = withSeen.safeParse(body);
  if (!read.success) return { written: body, asSeen: undefined };
  const { seen: asSeen, ...written } = read.data;
  return { written, asSeen };
}
