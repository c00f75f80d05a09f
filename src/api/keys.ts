import { z } from 'zod';
import { wrappedKey } from '../contract/usage.ts';
import { endpoint } from './http/endpoint.ts';
import { wrappedKeyView } from './manage/key-view.ts';

export const listKeys = endpoint({
  method: 'GET',
  path: '/api/manage/keys',
  summary: 'List wrapped keys, newest first, revoked ones included',
  scope: 'admin',
  right: 'read',
  answer: z.array(wrappedKey),
  async handle({ caller }, { records }) {
    const keys = await records.keys.list(caller.workspaceId);
    return keys.map(wrappedKeyView);
  },
});
