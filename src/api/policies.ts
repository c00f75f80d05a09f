import { z } from 'zod';
import { keyPolicy } from '../contract/limits.ts';
import { endpoint } from './http/endpoint.ts';
import { isOpenPolicy, keyPolicyView } from './manage/policy-view.ts';

export const listPolicies = endpoint({
  method: 'GET',
  path: '/api/manage/policies',
  summary: 'List wrapped keys that have a policy',
  scope: 'admin',
  right: 'read',
  answer: z.array(keyPolicy),
  async handle({ caller }, { records }) {
    const keys = await records.keys.list(caller.workspaceId);
    return keys.filter(({ revokedAt, policy }) => revokedAt === null && !isOpenPolicy(policy)).map(keyPolicyView);
  },
});
