import { wrappedKey } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { requireOwn } from '../permissions.ts';
import { wrappedKeyView } from './key-view.ts';

export const revokeKey = endpoint({
  method: 'DELETE',
  path: '/api/manage/keys/{id}',
  summary: 'Revoke a wrapped key',
  description: 'Calls that begin after the answer are refused. Its entries stay in the book. Revoking twice is once.',
  scope: 'admin',
  right: 'work',
  answer: wrappedKey,
  async handle({ caller, path }, { records, gateway: gate }) {
    const key = await records.keys.revoke(caller.workspaceId, path.id, caller.actor, (now) => requireOwn(caller, now));
    await gate.keyChanged(key.id);
    return wrappedKeyView(key);
  },
});
