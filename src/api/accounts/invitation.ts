import { TollbookError } from '../../domain/errors.ts';
import { iso } from '../../domain/time/period.ts';
import type { Invitation, NewUser } from '../../storage/records/people-records.ts';
import { acceptRequest, account, openInvitation } from '../../contract/accounts.ts';
import { publicEndpoint } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { describeAccount } from './account-of.ts';

const CODE_HEADER = 'x-svc-code';

export const readInvitation = publicEndpoint({
  method: 'GET',
  path: '/api/account/invitation',
  summary: 'What a link invites to; its code comes in the header x-svc-code',
  answer: openInvitation,
  async handle({ visit }, services) {
    const { accounts, records } = services;
    accounts.countAttempt(visit);
    const { workspaceId, role, email, madeBy, expiresAt } = await requireOpen(
      visit.headers.get(CODE_HEADER) ?? '',
      services,
    );
    const workspace = await records.workspaces.get(workspaceId);
    const by = await records.users.get(madeBy);
    return { workspace: workspace.name, role, email, invitedBy: by?.name ?? 'the operator', expiresAt: iso(expiresAt) };
  },
});

export const acceptInvitation = publicEndpoint({
  method: 'POST',
  path: '/api/account/accept',
  summary: 'Become a member, with the code of an invitation: as who is signed in, else with a new account',
  body: acceptRequest,
  answer: account,
  async handle({ visit, body }, services) {
    const { accounts, records } = services;
    accounts.countAttempt(visit);
    const { id } = await requireOpen(body.code, services);
    // It tells whether an e-mail address has an account: to whoever was invited, and for a few addresses.
    accounts.countUse(visit, id);
    const userId = await accounts.find(visit, false);
    if (userId !== null) {
      await records.invitations.accept(body.code, { userId });
      return describeAccount(userId, services);
    }
    const user = await records.invitations.accept(body.code, await newUser(body, services));
    await accounts.signIn(visit, { email: user.email, password: body.password ?? '' });
    return describeAccount(user.id, services);
  },
});

async function requireOpen(code: string, { records }: Services): Promise<Invitation> {
  const invitation = await records.invitations.open(code);
  if (invitation) return invitation;
  throw new TollbookError(
    'not_found',
    'This invitation was used, revoked or is over. Ask whoever sent it for a new one.',
  );
}

async function newUser(
  { name, email, password }: { name?: string | undefined; email?: string | undefined; password?: string | undefined },
  { accounts }: Services,
): Promise<NewUser> {
  if (name === undefined || email === undefined || password === undefined)
    throw new TollbookError('invalid', 'Sign in, or give a name, an e-mail address and a password.');
  return { name, email, passwordHash: await accounts.hashPassword(password) };
}
