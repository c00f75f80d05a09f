import { keyPolicy } from '../../contract/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { keyPolicyView } from './policy-view.ts';

export const getPolicy = endpoint({
  method: 'GET',
  path: '/api/manage/policies/{keyId}',
  summary: 'What a wrapped key may do',
  scope: 'admin',
  right: 'read',
  answer: keyPolicy,
  async handle({ caller, path }, { records }) {
    return keyPolicyView(await records.keys.get(caller.workspaceId, path.keyId));
  },
});
