import { wrappedKey } from '../contract.ts';
import { endpoint } from '../endpoint.ts';
import { keyView } from './key-view.ts';

export const getKey = endpoint({
  method: 'GET',
  path: '/api/manage/keys/{id}',
  summary: 'One wrapped key',
  scope: 'admin',
  right: 'read',
  answer: wrappedKey,
  async handle({ caller, path }, { records }) {
    return keyView(await records.keys.get(caller.workspaceId, path.id));
  },
});
