import { endpoint } from './http/endpoint.ts';

export const doctor = endpoint('GET /api/manage/doctor', async ({ query }, { installation: operations }) => {
  const checks = await operations.doctor(query.online === 'true');
  return { ok: checks.every(({ state }) => state !== 'failed'), checks: [...checks] };
});

export const backup = endpoint('POST /api/manage/backup', async ({ body }, { installation: operations }) => {
  const { folder, files, note } = await operations.backup(body.folder);
  return { folder, files: [...files], note };
});

export const renewJournal = endpoint(
  'POST /api/manage/journal/renew',
  async ({ caller }, { installation: operations }) => {
    await operations.renewJournal(caller.actor);
    return { renewed: true as const };
  },
);

export const rotateSecret = endpoint('POST /api/manage/secret/rotate', async ({ caller, body }, { records }) => {
  return records.rotateSecret(body.secret, caller.actor);
});
