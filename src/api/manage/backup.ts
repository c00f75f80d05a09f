import { z } from 'zod';
import { backupResult } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';

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
