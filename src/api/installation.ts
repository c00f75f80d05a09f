import { z } from 'zod';
import { backupResult, doctorReport, renewedJournal, rotatedSecret } from '../contract/usage.ts';
import { endpoint } from './http/endpoint.ts';

export const doctor = endpoint({
  method: 'GET',
  path: '/api/manage/doctor',
  summary: 'Check the installation',
  scope: 'admin',
  right: 'operate',
  query: z.object({
    online: z.enum(['true', 'false']).default('false').meta({ description: 'Also reach the providers' }),
  }),
  answer: doctorReport,
  async handle({ query }, { installation: operations }) {
    const checks = await operations.doctor(query.online === 'true');
    return { ok: checks.every(({ state }) => state !== 'failed'), checks: [...checks] };
  },
});

export const backup = endpoint({
  method: 'POST',
  path: '/api/manage/backup',
  summary: 'Write a consistent copy of the book and the journal while everything runs',
  scope: 'admin',
  right: 'folder',
  body: z.strictObject({ folder: z.string().min(1).meta({ description: 'On this machine; must not exist yet' }) }),
  answer: backupResult,
  status: 201,
  async handle({ body }, { installation: operations }) {
    const { folder, files, note } = await operations.backup(body.folder);
    return { folder, files: [...files], note };
  },
});

export const renewJournal = endpoint({
  method: 'POST',
  path: '/api/manage/journal/renew',
  summary: 'Give up a journal that is lost; the next start begins another',
  description: 'Calls of the last moments of the lost one are in neither journal nor ledger: no limit counts them.',
  scope: 'admin',
  right: 'folder',
  body: z.strictObject({}),
  answer: renewedJournal,
  async handle({ caller }, { installation: operations }) {
    await operations.renewJournal(caller.actor);
    return { renewed: true as const };
  },
});

export const rotateSecret = endpoint({
  method: 'POST',
  path: '/api/manage/secret/rotate',
  summary: 'Encrypt every stored secret anew under a new master secret',
  scope: 'admin',
  right: 'folder',
  body: z.strictObject({
    secret: z.string().nullable().default(null).meta({ description: 'null = a random one, kept in the data folder' }),
  }),
  answer: rotatedSecret,
  async handle({ caller, body }, { records }) {
    return records.rotateSecret(body.secret, caller.actor);
  },
});
