import { z } from 'zod';
import { adminKey } from '../contract/admin-keys.ts';
import { endpoint } from './http/endpoint.ts';
import { adminKeyView } from './manage/admin-key-view.ts';

export const listAdminKeys = endpoint({
  method: 'GET',
  path: '/api/manage/admin-keys',
  summary: 'Admin keys of organizations, and how far their reports were read',
  scope: 'admin',
  right: 'read',
  answer: z.array(adminKey),
  async handle({ caller }, services) {
    const keys = await services.records.adminKeys.list(caller.workspaceId);
    return await Promise.all(keys.map((key) => adminKeyView(key, services)));
  },
});
