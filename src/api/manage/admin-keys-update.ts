import { z } from 'zod';
import { adminKey } from '../../contract/admin-keys.ts';
import { endpoint } from '../http/endpoint.ts';
import { adminKeyView } from './admin-key-view.ts';
import { resolveAdminKeyAlerts } from './end-key-trouble.ts';

export const updateAdminKey = endpoint({
  method: 'PATCH',
  path: '/api/manage/admin-keys/{id}',
  summary: 'Pause or resume an admin key',
  description: 'What was read stays; one that is resumed goes on where it was.',
  scope: 'admin',
  right: 'manage',
  body: z.strictObject({ paused: z.boolean() }),
  answer: adminKey,
  async handle({ caller: { workspaceId, actor }, path: { id }, body }, services) {
    const { adminKeys } = services.records;
    if (body.paused) return await adminKeyView(await adminKeys.pause(workspaceId, id, null, actor), services);
    const resumed = await adminKeys.resume(workspaceId, id, actor);
    await resolveAdminKeyAlerts(services, workspaceId, id);
    services.providerReports.start();
    return await adminKeyView(resumed, services);
  },
});
