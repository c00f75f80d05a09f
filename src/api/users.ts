import { randomBytes } from 'node:crypto';
import { toIso } from '../domain/time/period.ts';
import { type UserShape } from '../contract/accounts.ts';
import { endpoint } from './http/endpoint.ts';
import { computeEtag } from './http/if-match.ts';
import { announceRevokedTokens } from './tokens.ts';
import { claimLink } from '../domain/identity/secret.ts';
import type { User } from '../storage/records/users.ts';
import type { ApiSettings } from './settings.ts';
import type { Records } from '../storage/records/records.ts';
import type { AccountService } from './http/account-service.ts';
import type { GatewayNotices } from './gateway-notices.ts';
import type { LiveStreams } from './live-streams.ts';

export interface UserServices {
  readonly settings: ApiSettings;
  readonly records: Records;
  readonly accounts: AccountService;
  readonly gateway: Pick<GatewayNotices, 'tokenChanged'>;
  readonly live: LiveStreams;
}

const PASSWORD_BYTES = 15;

export const listUsers = endpoint('GET /api/manage/users', async (_, { records }: UserServices) => {
  const users = await records.users.list();
  const workspaces = await Promise.all(users.map(({ id }) => records.members.of(id)));
  return users.map((one, at) => userView(one, workspaces[at] ?? []));
});

export const resetPassword = endpoint(
  'POST /api/manage/users/{user}/password',
  async ({ caller, path, body }, { records, accounts, live }: UserServices) => {
    const { id, name, email } = await records.users.find(path.user);
    const made = body.password === null ? randomBytes(PASSWORD_BYTES).toString('base64url') : null;
    const passwordHash = await accounts.hashPassword(made ?? body.password ?? '');
    await records.users.setPassword(id, passwordHash, caller.actor);
    await accounts.forgetAttempts(email);
    live.dismiss(id, null);
    return { id, name, email, password: made };
  },
);

export const removeUser = endpoint(
  'DELETE /api/manage/users/{user}',
  async ({ caller, path, requireMatch }, services: UserServices) => {
    const { records, live } = services;
    const found = await records.users.find(path.user);
    const memberships = await records.members.of(found.id);
    const removed = await records.users.remove(found.id, caller.actor, (now) => requireMatch({ etag: userEtag(now) }));
    announceRevokedTokens(removed.revoked, services);
    live.dismiss(found.id, null);
    return userView(removed.user, memberships);
  },
);

function userEtag({ id, name, email }: User): string {
  return computeEtag({ id, name, email });
}

function userView(
  user: User,
  memberships: readonly { workspaceId: string; role: UserShape['workspaces'][number]['role'] }[],
): UserShape {
  const { id, name, email, createdAt } = user;
  const workspaces = memberships.map(({ workspaceId, role }) => ({ id: workspaceId, role }));
  return { id, name, email, createdAt: toIso(createdAt), workspaces, etag: userEtag(user) };
}

export const offerClaim = endpoint(
  'POST /api/manage/claim',
  async ({ caller }, { records, settings }: UserServices) => {
    return { link: claimLink(settings.baseUrl, await records.users.offerClaim(caller.actor)) };
  },
);
