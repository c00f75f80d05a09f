import { z } from 'zod';
import { adminKey } from '../../contract/admin-keys.ts';
import { endpoint } from '../http/endpoint.ts';
import { adminKeyView } from './admin-key-view.ts';
import { resolveAdminKeyAlerts } from './end-key-trouble.ts';

export const replaceAdminKey = endpoint({
  method: 'POST',
  path: '/api/manage/admin-keys/{id}/replace',
  summary: 'Put another admin key of the same organization in the place of one',
  description: 'It is tried out at once; what was read stays, and reading goes on where it was.',
  scope: 'admin',
  right: 'manage',
  body: z.strictObject({ adminKey: z.string().min(1).meta({ description: 'Kept encrypted and never shown again' }) }),
  answer: adminKey,
  async handle({ caller: { workspaceId, actor }, path: { id }, body }, services) {
    const { records, providerReports: organizations } = services;
    const { provider } = await records.adminKeys.get(workspaceId, id);
    const key = body.adminKey.trim();
    const { id: organizationId, name: organizationName } = await organizations.identifyOrganization(provider, key);
    const replaced = { key, organizationId, organizationName };
    const now = await records.adminKeys.replace(workspaceId, id, replaced, actor);
    await resolveAdminKeyAlerts(services, workspaceId, id);
    organizations.start();
    return await adminKeyView(now, services);
  },
});
