import { wrappedKeyDetail } from '../../contract/keys.ts';
import { endpoint } from '../http/endpoint.ts';
import { isoOrNull } from '../iso-or-null.ts';
import { wrappedKeyView } from './key-view.ts';

export const getKey = endpoint({
  method: 'GET',
  path: '/api/manage/keys/{id}',
  summary: 'One wrapped key, and when it was first and last used',
  scope: 'admin',
  right: 'read',
  answer: wrappedKeyDetail,
  async handle({ caller: { workspaceId }, path }, { records, reports }) {
    const key = await records.keys.get(workspaceId, path.id);
    // A clock may have been set back between the key and its first call.
    const seen = await reports.keySeen(workspaceId, key.id, Math.max(0, key.createdAt - DAY_MS));
    return {
      ...wrappedKeyView(key),
      firstCallAt: isoOrNull(seen?.firstAt ?? null),
      lastCallAt: isoOrNull(seen?.lastAt ?? null),
    };
  },
});

const DAY_MS = 86_400_000;
