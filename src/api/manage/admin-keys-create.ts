import { z } from 'zod';
import { adminKey } from '../../contract/admin-keys.ts';
import { endpoint } from '../http/endpoint.ts';
import { adminKeyView } from './admin-key-view.ts';
import { name } from './fields.ts';

export const createAdminKey = endpoint({
  method: 'POST',
  path: '/api/manage/admin-keys',
  summary: 'Add an admin key of an organization',
  description: 'It is tried out at once; then the reports of the organization are read with it, the newest days first.',
  scope: 'admin',
  right: 'manage',
  body: z.strictObject({
    name,
    provider: z.string().meta({ description: 'One that has reports' }),
    adminKey: z.string().min(1).meta({ description: 'Kept encrypted and never shown again' }),
  }),
  answer: adminKey,
  status: 201,
  async handle({ caller: { workspaceId, actor }, body }, services) {
    const { records, providerReports: organizations } = services;
    const key = body.adminKey.trim();
    const organization = await organizations.identifyOrganization(body.provider, key);
    const created = await records.adminKeys.create(
      {
        workspaceId,
        provider: body.provider,
        name: body.name,
        key,
        organizationId: organization.id,
        organizationName: organization.name,
      },
      actor,
    );
    organizations.start();
    return await adminKeyView(created, services);
  },
});
