import { account } from '../contract-accounts.ts';
import { publicEndpoint } from '../endpoint.ts';
import { accountOf } from './account-of.ts';

export const readAccount = publicEndpoint({
  method: 'GET',
  path: '/api/account',
  summary: 'Who is signed in, and where; a session lasts anew from here',
  answer: account,
  async handle({ visit }, services) {
    const userId = (await services.accounts.find(visit, true)) ?? (await services.accounts.enterDemo(visit));
    return accountOf(userId, services);
  },
});
