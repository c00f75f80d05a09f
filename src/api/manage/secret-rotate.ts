import { z } from 'zod';
import { rotatedSecret } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';

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
