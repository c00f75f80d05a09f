import { toIso } from '../domain/time/period.ts';
import { publicEndpoint } from './http/endpoint.ts';
import { describeAccount, requireSession, requireSignedIn } from './account.ts';
import type { ApiSettings } from './settings.ts';
import type { Records } from '../storage/records/records.ts';
import type { AccountService } from './http/account-service.ts';
import type { LiveStreams } from './live-streams.ts';

export interface UserSessionServices {
  readonly settings: ApiSettings;
  readonly records: Records;
  readonly accounts: AccountService;
  readonly live: LiveStreams;
}

export const signIn = publicEndpoint(
  'POST /api/auth/sign-in/email',
  async ({ requestInfo, body }, services: UserSessionServices) =>
    describeAccount(await services.accounts.signIn(requestInfo, body), services),
);

export const signOut = publicEndpoint(
  'POST /api/auth/sign-out',
  async ({ requestInfo }, { accounts, live }: UserSessionServices) => {
    const userId = await accounts.signOut(requestInfo);
    if (userId !== null) live.dismiss(userId, null);
    return { ok: true } as const;
  },
);

export const listSessions = publicEndpoint(
  'GET /api/auth/list-sessions',
  async ({ requestInfo }, services: UserSessionServices) => {
    const own = await requireSession(requestInfo, services);
    const sessions = await services.records.users.sessions(own.userId);
    return sessions.map(({ id, createdAt, renewedAt, expiresAt, address, userAgent }) => ({
      id,
      createdAt: toIso(createdAt),
      updatedAt: toIso(renewedAt),
      expiresAt: toIso(expiresAt),
      ipAddress: address,
      userAgent,
      current: id === own.id,
    }));
  },
);

export const revokeSession = publicEndpoint(
  'POST /api/auth/revoke-session',
  async ({ requestInfo, body }, services: UserSessionServices) => {
    const own = await requireSession(requestInfo, services);
    if (body.id === own.id) await services.accounts.signOut(requestInfo);
    else await services.records.users.endSession(own.userId, body.id);
    // Streams don't know which session opened them: clients that may continue open another.
    services.live.dismiss(own.userId, null);
    return { ok: true } as const;
  },
);

export const revokeSessions = publicEndpoint(
  'POST /api/auth/revoke-sessions',
  async ({ requestInfo }, services: UserSessionServices) => {
    const userId = await requireSignedIn(requestInfo, services);
    await services.records.users.endSessions(userId);
    services.live.dismiss(userId, null);
    // The session is gone; only the cookie remains.
    await services.accounts.signOut(requestInfo);
    return { ok: true } as const;
  },
);

export const changePassword = publicEndpoint(
  'POST /api/auth/change-password',
  async ({ requestInfo, body }, services: UserSessionServices) => {
    const userId = await requireSignedIn(requestInfo, services);
    await services.accounts.changePassword(requestInfo, userId, body);
    // Streams don't know which session opened them: clients that may continue open another.
    services.live.dismiss(userId, null);
    return { ok: true } as const;
  },
);
