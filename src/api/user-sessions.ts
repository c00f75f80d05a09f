import { z } from 'zod';
import { toIso } from '../domain/time/period.ts';
import { account, changePasswordRequest, revokeSessionRequest, session, signInRequest } from '../contract/accounts.ts';
import { publicEndpoint } from './http/endpoint.ts';
import { describeAccount, requireSession, requireSignedIn } from './account.ts';

const done = z.object({ ok: z.literal(true) });

export const signIn = publicEndpoint({
  method: 'POST',
  path: '/api/auth/sign-in/email',
  summary: 'Sign in',
  body: signInRequest,
  answer: account,
  countsAttempt: true,
  handle: async ({ visit, body }, services) => describeAccount(await services.accounts.signIn(visit, body), services),
});

export const signOut = publicEndpoint({
  method: 'POST',
  path: '/api/auth/sign-out',
  summary: 'End this session',
  answer: done,
  async handle({ visit }, { accounts, live }) {
    const userId = await accounts.signOut(visit);
    if (userId !== null) live.dismiss(userId, null);
    return { ok: true } as const;
  },
});

export const listSessions = publicEndpoint({
  method: 'GET',
  path: '/api/auth/list-sessions',
  summary: 'Where one is signed in, newest first',
  answer: z.array(session),
  async handle({ visit }, services) {
    const own = await requireSession(visit, services);
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
});

export const revokeSession = publicEndpoint({
  method: 'POST',
  path: '/api/auth/revoke-session',
  summary: 'Sign out in one place',
  body: revokeSessionRequest,
  answer: done,
  async handle({ visit, body }, services) {
    const own = await requireSession(visit, services);
    if (body.id === own.id) await services.accounts.signOut(visit);
    else await services.records.users.endSession(own.userId, body.id);
    // Streams don't say whose session opened them: those that may go on open another.
    services.live.dismiss(own.userId, null);
    return { ok: true } as const;
  },
});

export const revokeSessions = publicEndpoint({
  method: 'POST',
  path: '/api/auth/revoke-sessions',
  summary: 'Sign out everywhere, here too',
  answer: done,
  async handle({ visit }, services) {
    const userId = await requireSignedIn(visit, services);
    await services.records.users.endSessions(userId);
    services.live.dismiss(userId, null);
    // There is no session any more: what is left is the cookie.
    await services.accounts.signOut(visit);
    return { ok: true } as const;
  },
});

export const changePassword = publicEndpoint({
  method: 'POST',
  path: '/api/auth/change-password',
  summary: "Change one's password",
  body: changePasswordRequest,
  answer: done,
  async handle({ visit, body }, services) {
    const userId = await requireSignedIn(visit, services);
    await services.accounts.changePassword(visit, userId, body);
    // Streams don't say whose session opened them: those that may go on open another.
    services.live.dismiss(userId, null);
    return { ok: true } as const;
  },
});
