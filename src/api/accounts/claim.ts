import { TollbookError } from '../../domain/errors.ts';
import { account, claimRequest } from '../../contract/accounts.ts';
import { publicEndpoint } from '../http/endpoint.ts';
import { describeAccount } from './account-of.ts';

export const claim = publicEndpoint({
  method: 'POST',
  path: '/api/account/claim',
  summary: 'Become the owner of an installation that nobody owns, with the code of the link that it printed',
  body: claimRequest,
  answer: account,
  async handle({ visit, body }, services) {
    const { accounts, records } = services;
    const { code, password, ...person } = body;
    accounts.countAttempt(visit);
    // Before the password is hashed: whoever has no code costs no work.
    if (!(await records.users.takesClaim(code)))
      throw new TollbookError(
        'not_found',
        'This link was used, or there is a newer one. While nobody owns this installation, "tollbook claim" prints one.',
      );
    const user = await records.users.claim(code, { ...person, passwordHash: await accounts.hashPassword(password) });
    await accounts.signIn(visit, { email: user.email, password });
    return describeAccount(user.id, services);
  },
});
