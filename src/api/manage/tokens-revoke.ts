import { accessToken } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { requireOwn } from '../permissions.ts';
import { tokenView } from './token-view.ts';

export const revokeToken = endpoint({
  method: 'DELETE',
  path: '/api/manage/tokens/{id}',
  summary: 'Revoke an access token',
  scope: 'admin',
  right: 'work',
  answer: accessToken,
  async handle({ caller, path }, { records, gateway: gate, live }) {
    requireOwn(caller, await records.tokens.get(caller.workspaceId, path.id));
    const { token, hash } = await records.tokens.revoke(caller.workspaceId, path.id, caller.actor);
    gate.tokenChanged(hash, false);
    live.dismiss(token.id, null);
    return tokenView(token);
  },
});
