import {
  account,
  accountChange,
  claimRequest,
  openInvitation,
  acceptRequest,
  invitation,
  newInvitation,
  createdInvitation,
  member,
  memberChange,
  listedToken,
  signInRequest,
  session,
  revokeSessionRequest,
  changePasswordRequest,
  user,
  newPassword,
  passwordReset,
  claimOffer,
} from '../accounts.ts';
import { z } from 'zod';
import { seenBody } from '../seen.ts';
import { name, expiry } from '../fields.ts';
import { TOKEN_SCOPES } from '../../domain/identity/access.ts';
import { createdToken, accessToken } from '../usage.ts';
import type { RouteTable } from '../route.ts';

const done = z.object({ ok: z.literal(true) });

export const accountRoutes = {
  'GET /api/account': {
    summary: 'Who is signed in, and where; a session lasts anew from here',
    scope: null,
    right: 'public',
    answer: account,
  },
  'PATCH /api/account': {
    summary: "Change one's name, as all see it who are in the same workspaces",
    scope: null,
    right: 'public',
    body: accountChange,
    answer: account,
  },
  'POST /api/account/claim': {
    summary: 'Become the owner of an installation that nobody owns, with the code of the link that it printed',
    scope: null,
    right: 'public',
    countsAttempt: true,
    body: claimRequest,
    answer: account,
  },
  'GET /api/account/invitation': {
    summary: 'What a link invites to; its code comes in the header x-svc-code',
    scope: null,
    right: 'public',
    countsAttempt: true,
    answer: openInvitation,
  },
  'POST /api/account/accept': {
    summary: 'Become a member, with the code of an invitation: as who is signed in, else with a new account',
    scope: null,
    right: 'public',
    countsAttempt: true,
    body: acceptRequest,
    answer: account,
  },
  'GET /api/manage/invitations': {
    summary: 'Invitations, newest first, with what became of them',
    scope: 'admin',
    right: 'manage',
    answer: z.array(invitation),
  },
  'POST /api/manage/invitations': {
    summary: 'Make a link that makes a member, once',
    scope: 'admin',
    right: 'manage',
    body: newInvitation,
    answer: createdInvitation,
    status: 201,
  },
  'DELETE /api/manage/invitations/{id}': {
    summary: 'Revoke an invitation that nobody has accepted',
    scope: 'admin',
    right: 'manage',
    answer: invitation,
  },
  'GET /api/manage/members': {
    summary: 'Who is a member of the workspace, and as what',
    scope: 'admin',
    right: 'read',
    answer: z.array(member),
  },
  'PATCH /api/manage/members/{userId}': {
    summary: 'Give a member another role',
    description:
      'Owners are changed by owners, and a workspace that has one keeps one. Open invitations and tokens that the new role could not make are revoked.',
    scope: 'admin',
    right: 'manage',
    body: memberChange,
    answer: member,
  },
  'DELETE /api/manage/members/{userId}': {
    summary: 'Remove a member',
    description:
      'In force with the next request. Open invitations and tokens that the member made are revoked; wrapped keys stay.',
    scope: 'admin',
    right: 'manage',
    body: seenBody,
    answer: member,
  },
  'GET /api/manage/tokens': {
    summary: 'List access tokens, revoked ones included; a member sees those they made',
    scope: 'admin',
    right: 'work',
    answer: z.array(listedToken),
  },
  'POST /api/manage/tokens': {
    summary: 'Make an access token',
    scope: 'admin',
    right: 'work',
    body: z.strictObject({
      name,
      scopes: z
        .array(z.string())
        .default([])
        .meta({ description: `Of ${TOKEN_SCOPES.join(', ')}; none = all but admin; a member gets what a member may` }),
      expiresAt: expiry.default(null),
    }),
    answer: createdToken,
    status: 201,
  },
  'DELETE /api/manage/tokens/{id}': {
    summary: 'Revoke an access token',
    scope: 'admin',
    right: 'work',
    answer: accessToken,
  },
  'POST /api/auth/sign-in/email': {
    summary: 'Sign in',
    scope: null,
    right: 'public',
    countsAttempt: true,
    body: signInRequest,
    answer: account,
  },
  'POST /api/auth/sign-out': {
    summary: 'End this session',
    scope: null,
    right: 'public',
    answer: done,
  },
  'GET /api/auth/list-sessions': {
    summary: 'Where one is signed in, newest first',
    scope: null,
    right: 'public',
    answer: z.array(session),
  },
  'POST /api/auth/revoke-session': {
    summary: 'Sign out in one place',
    scope: null,
    right: 'public',
    body: revokeSessionRequest,
    answer: done,
  },
  'POST /api/auth/revoke-sessions': {
    summary: 'Sign out everywhere, here too',
    scope: null,
    right: 'public',
    answer: done,
  },
  'POST /api/auth/change-password': {
    summary: "Change one's password",
    scope: null,
    right: 'public',
    body: changePasswordRequest,
    answer: done,
  },
  'GET /api/manage/users': {
    summary: 'Everybody who has an account, in whatever workspace',
    scope: 'admin',
    right: 'folder',
    answer: z.array(user),
  },
  'POST /api/manage/users/{user}/password': {
    summary: 'Give a user another password, and end their sessions',
    scope: 'admin',
    right: 'folder',
    body: newPassword,
    answer: passwordReset,
  },
  'DELETE /api/manage/users/{user}': {
    summary: 'Remove a user with sessions, memberships, and the open invitations and tokens that they made',
    scope: 'admin',
    right: 'folder',
    answer: user,
  },
  'POST /api/manage/claim': {
    summary: 'Make the link that makes the first owner; one made before is void',
    scope: 'admin',
    right: 'folder',
    answer: claimOffer,
    status: 201,
  },
} as const satisfies RouteTable;
