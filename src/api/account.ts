import { account, accountChange } from '../contract/accounts.ts';
import { publicEndpoint } from './http/endpoint.ts';
import { describeAccount } from './accounts/account-of.ts';
import { requireSignedIn } from './accounts/require-user.ts';

export const readAccount = publicEndpoint({
  method: 'GET',
  path: '/api/account',
  summary: 'Who is signed in, and where; a session lasts anew from here',
  answer: account,
  async handle({ visit }, services) {
    const userId = (await services.accounts.find(visit, true)) ?? (await services.accounts.enterDemo(visit));
    return describeAccount(userId, services);
  },
});

export const updateAccount = publicEndpoint({
  method: 'PATCH',
  path: '/api/account',
  summary: "Change one's name, as all see it who are in the same workspaces",
  body: accountChange,
  answer: account,
  async handle({ visit, body }, services) {
    const userId = await requireSignedIn(visit, services);
    await services.accounts.rename(userId, body.name);
    return describeAccount(userId, services);
  },
});
