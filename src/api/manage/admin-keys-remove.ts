import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { resolveAdminKeyAlerts } from './end-key-trouble.ts';

export const removeAdminKey = endpoint({
  method: 'DELETE',
  path: '/api/manage/admin-keys/{id}',
  summary: 'Remove an admin key, with all that was read with it',
  description: 'The key is erased at once, what it read soon after. To keep that, pause it.',
  scope: 'admin',
  right: 'manage',
  answer: z.object({ removed: z.string() }),
  async handle({ caller: { workspaceId, actor }, path: { id } }, services) {
    await services.records.adminKeys.remove(workspaceId, id, actor);
    await resolveAdminKeyAlerts(services, workspaceId, id, ['KEY_TROUBLE', 'COVERAGE']);
    return { removed: id };
  },
});
