import { TollbookError } from '../../domain/errors.ts';
import { askedSync } from '../../contract/admin-keys.ts';
import { endpoint } from '../http/endpoint.ts';

export const syncAdminKey = endpoint({
  method: 'POST',
  path: '/api/manage/admin-keys/{id}/sync',
  summary: 'Read the reports of an organization now',
  scope: 'admin',
  right: 'manage',
  answer: askedSync,
  async handle({ caller, path: { id } }, { records, providerReports: organizations }) {
    const { adminKeys } = records;
    const { name, pausedAt, failures, problem } = await adminKeys.get(caller.workspaceId, id);
    if (pausedAt !== null)
      throw new TollbookError(
        'impossible',
        `The admin key "${name}" is paused. Resume it: tollbook admin-keys resume ${id}`,
      );
    // Asked for first: a turn that ends just now sees it, and begins another one.
    const runs = organizations.sync(id);
    await adminKeys.turned(id, { nextAt: 0, failures, problem });
    organizations.start();
    return { id, runs };
  },
});
