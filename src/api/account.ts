import { type AccountShape } from '../contract/accounts.ts';
import { publicEndpoint } from './http/endpoint.ts';
import { TollbookError } from '../domain/errors.ts';
import type { RequestInfo } from './http/request-info.ts';
import { roleHas } from '../domain/identity/access.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';
import { toIso } from '../domain/time/period.ts';
import type { NewUser } from '../storage/records/users.ts';
import type { Invitation } from '../storage/records/invitations.ts';
import type { ApiSettings } from './settings.ts';
import type { Records } from '../storage/records/records.ts';
import type { AccountService } from './http/account-service.ts';

export interface AccountServices {
  readonly settings: ApiSettings;
  readonly records: Records;
  readonly accounts: AccountService;
}

/**
 * Describes the account, workspaces and settings that the dashboard starts with.
 * @param userId the signed-in user; null = signed out
 */
export async function describeAccount(
  userId: string | null,
  { records, settings }: Pick<AccountServices, 'records' | 'settings'>,
): Promise<AccountShape> {
  const { version, demo, sendsMail, hasNodes } = settings;
  const user = userId === null ? null : await records.users.get(userId);
  if (user) {
    const { id, name, email } = user;
    const memberships = await records.members.of(id);
    const workspaces = memberships.map((membership) => describeMembership(membership, hasNodes));
    return { version, demo, sendsMail, state: 'signed_in', user: { id, name, email }, workspaces };
  }
  return { version, demo, state: (await records.users.claimed()) ? 'signed_out' : 'unclaimed' };
}

type UserMembership = Awaited<ReturnType<Records['members']['of']>>[number];
type MembershipShape = NonNullable<AccountShape['workspaces']>[number];

function describeMembership(
  { workspaceId, workspace, timeZone, role }: UserMembership,
  hasNodes: boolean,
): MembershipShape {
  const showsNodes = hasNodes && roleHas(role, 'operate', workspaceId === DEFAULT_WORKSPACE);
  return { id: workspaceId, name: workspace, role, timeZone, ...(showsNodes && { showsNodes }) };
}

/** Returns the user who is signed in. Throws `missing_secret`. */
export async function requireSignedIn(
  requestInfo: RequestInfo,
  services: Pick<AccountServices, 'accounts'>,
): Promise<string> {
  return (await requireSession(requestInfo, services)).userId;
}

/** Returns the session of the request and its user. Throws `missing_secret`. */
export async function requireSession(
  requestInfo: RequestInfo,
  { accounts }: Pick<AccountServices, 'accounts'>,
): Promise<{ id: string; userId: string }> {
  const session = await accounts.findSession(requestInfo, false);
  if (session) return session;
  throw new TollbookError('missing_secret', 'You are not signed in, or your session has ended. Sign in.');
}

export const readAccount = publicEndpoint('GET /api/account', async ({ requestInfo }, services: AccountServices) => {
  const userId = (await services.accounts.find(requestInfo, true)) ?? (await services.accounts.enterDemo(requestInfo));
  return describeAccount(userId, services);
});

export const updateAccount = publicEndpoint(
  'PATCH /api/account',
  async ({ requestInfo, body }, services: AccountServices) => {
    const userId = await requireSignedIn(requestInfo, services);
    await services.accounts.rename(userId, body.name);
    return describeAccount(userId, services);
  },
);

export const claim = publicEndpoint(
  'POST /api/account/claim',
  async ({ requestInfo, body }, services: AccountServices) => {
    const { accounts, records } = services;
    const { code, password, ...person } = body;
    // Checked before the password is hashed, so that a request without a valid code costs no work.
    if (!(await records.users.takesClaim(code)))
      throw new TollbookError(
        'not_found',
        'This link was used or replaced. While the installation has no owner, "tollbook claim" prints a new one.',
      );
    const user = await records.users.claim(code, { ...person, passwordHash: await accounts.hashPassword(password) });
    await accounts.signIn(requestInfo, { email: user.email, password });
    return describeAccount(user.id, services);
  },
);

const CODE_HEADER = 'x-svc-code';

export const readInvitation = publicEndpoint(
  'GET /api/account/invitation',
  async ({ requestInfo }, services: AccountServices) => {
    const { records } = services;
    const { workspaceId, role, email, createdBy, expiresAt } = await requireOpen(
      requestInfo.headers.get(CODE_HEADER) ?? '',
      services,
    );
    const workspace = await records.workspaces.get(workspaceId);
    const by = await records.users.get(createdBy);
    return {
      workspace: workspace.name,
      role,
      email,
      invitedBy: by?.name ?? 'the operator',
      expiresAt: toIso(expiresAt),
    };
  },
);

export const acceptInvitation = publicEndpoint(
  'POST /api/account/accept',
  async ({ requestInfo, body }, services: AccountServices) => {
    const { accounts, records } = services;
    const { id } = await requireOpen(body.code, services);
    // This reveals whether an email address has an account, but only to invited people and for a few addresses.
    await accounts.countUse(requestInfo, id);
    const userId = await accounts.find(requestInfo, false);
    if (userId !== null) {
      await records.invitations.accept(body.code, { userId });
      return describeAccount(userId, services);
    }
    const user = await records.invitations.accept(body.code, await newUser(body, services));
    await accounts.signIn(requestInfo, { email: user.email, password: body.password ?? '' });
    return describeAccount(user.id, services);
  },
);

async function requireOpen(code: string, { records }: Pick<AccountServices, 'records'>): Promise<Invitation> {
  const invitation = await records.invitations.open(code);
  if (invitation) return invitation;
  throw new TollbookError(
    'not_found',
    'This invitation was used, revoked or has expired. Ask its sender for a new one.',
  );
}

async function newUser(
  { name, email, password }: { name?: string | undefined; email?: string | undefined; password?: string | undefined },
  { accounts }: Pick<AccountServices, 'accounts'>,
): Promise<NewUser> {
  if (name === undefined || email === undefined || password === undefined)
    throw new TollbookError('invalid', 'Sign in, or send a name, an email address and a password.');
  return { name, email, passwordHash: await accounts.hashPassword(password) };
}
