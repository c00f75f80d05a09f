import { z } from 'zod';
import { accessToken } from '../contract.ts';
import { endpoint } from '../endpoint.ts';
import { managesAll } from '../own-records.ts';
import { tokenView } from './token-view.ts';

export const listTokens = endpoint({
  method: 'GET',
  path: '/api/manage/tokens',
  summary: 'List access tokens, revoked ones included; a member sees those they made',
  scope: 'admin',
  right: 'work',
  answer: z.array(accessToken),
  async handle({ caller }, { records }) {
    const tokens = await records.tokens.list(caller.workspaceId);
    const shown = managesAll(caller) ? tokens : tokens.filter(({ madeBy }) => madeBy === caller.actor);
    return shown.map(tokenView);
  },
});
