import { z } from 'zod';
import { renewedJournal } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';

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
