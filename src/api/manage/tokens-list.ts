import { z } from 'zod';
import { accessToken } from '../contract.ts';
import { endpoint } from '../endpoint.ts';
import { tokenView } from './token-view.ts';

export const listTokens = endpoint({
  method: 'GET',
  path: '/api/manage/tokens',
  summary: 'List access tokens, revoked ones included',
  scope: 'admin',
  right: 'work',
  answer: z.array(accessToken),
  async handle({ caller }, { records }) {
    const tokens = await records.tokens.list(caller.workspaceId);
    return tokens.map(tokenView);
  },
});
