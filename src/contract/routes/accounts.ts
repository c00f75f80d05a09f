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
import { name, expiry } from '../fields.ts';
import { TOKEN_SCOPES } from '../../domain/identity/access.ts';
import { createdToken, accessToken } from '../tokens.ts';
import type { RouteTable } from '../route.ts';

const done = z.object({ ok: z.literal(true) });

export const accountRoutes = {
  'GET /api/account': {
    summary: 'Get the signed-in person and their workspaces; extends the session',
    scope: null,
    right: 'public',
    response: account,
  },
  'PATCH /api/account': {
    summary: 'Change your name, which members of your workspaces see',
    scope: null,
    right: 'public',
    body: accountChange,
    response: account,
  },
  'POST /api/account/claim': {
    summary: 'Become the first owner of an installation, with the code from its claim link',
    scope: null,
    right: 'public',
    countsAttempt: true,
    body: claimRequest,
    response: account,
  },
  'GET /api/account/invitation': {
    summary: 'Show an invitation; send its code in the header x-svc-code',
    scope: null,
    right: 'public',
    countsAttempt: true,
    response: openInvitation,
  },
  'POST /api/account/accept': {
    summary: 'Accept an invitation with its code, as the signed-in person or with a new account',
    scope: null,
    right: 'public',
    countsAttempt: true,
    body: acceptRequest,
    response: account,
  },
  'GET /api/manage/invitations': {
    summary: 'List invitations and their state, newest first',
    scope: 'admin',
    right: 'manage',
    response: z.array(invitation),
  },
  'POST /api/manage/invitations': {
    summary: 'Create an invitation link, which works once',
    scope: 'admin',
    right: 'manage',
    body: newInvitation,
    response: createdInvitation,
    status: 201,
  },
  'DELETE /api/manage/invitations/{id}': {
    summary: 'Revoke an open invitation',
    scope: 'admin',
    right: 'manage',
    ifMatch: true,
    response: invitation,
  },
  'GET /api/manage/members': {
    summary: 'List members of the workspace and their roles',
    scope: 'admin',
    right: 'read',
    response: z.array(member),
  },
  'PATCH /api/manage/members/{userId}': {
    summary: 'Change the role of a member',
    description:
      "Only owners change owners, and the last owner can't be changed. Open invitations and tokens that the new role does not allow are revoked.",
    scope: 'admin',
    right: 'manage',
    body: memberChange,
    ifMatch: true,
    response: member,
  },
  'DELETE /api/manage/members/{userId}': {
    summary: 'Remove a member',
    description:
      'Takes effect with the next request. Open invitations and tokens that the member created are revoked; wrapped keys stay.',
    scope: 'admin',
    right: 'manage',
    ifMatch: true,
    response: member,
  },
  'GET /api/manage/tokens': {
    summary: 'List access tokens, including revoked ones; members see only their own',
    scope: 'admin',
    right: 'work',
    response: z.array(listedToken),
  },
  'POST /api/manage/tokens': {
    summary: 'Create an access token',
    scope: 'admin',
    right: 'work',
    body: z.strictObject({
      name,
      scopes: z
        .array(z.string())
        .default([])
        .meta({
          description: `Any of ${TOKEN_SCOPES.join(', ')}; absent = all except otlp:write and admin, or those of them that a member may have`,
        }),
      expiresAt: expiry.default(null),
    }),
    response: createdToken,
    status: 201,
  },
  'DELETE /api/manage/tokens/{id}': {
    summary: 'Revoke an access token',
    scope: 'admin',
    right: 'work',
    ifMatch: true,
    response: accessToken,
  },
  'POST /api/auth/sign-in/email': {
    summary: 'Sign in',
    scope: null,
    right: 'public',
    countsAttempt: true,
    body: signInRequest,
    response: account,
  },
  'POST /api/auth/sign-out': {
    summary: 'Sign out',
    scope: null,
    right: 'public',
    response: done,
  },
  'GET /api/auth/list-sessions': {
    summary: 'List your user sessions, newest first',
    scope: null,
    right: 'public',
    response: z.array(session),
  },
  'POST /api/auth/revoke-session': {
    summary: 'End one user session',
    scope: null,
    right: 'public',
    body: revokeSessionRequest,
    response: done,
  },
  'POST /api/auth/revoke-sessions': {
    summary: 'End all your user sessions, including this one',
    scope: null,
    right: 'public',
    response: done,
  },
  'POST /api/auth/change-password': {
    summary: 'Change your password',
    scope: null,
    right: 'public',
    body: changePasswordRequest,
    response: done,
  },
  'GET /api/manage/users': {
    summary: 'List all users of the installation',
    scope: 'admin',
    right: 'folder',
    response: z.array(user),
  },
  'POST /api/manage/users/{user}/password': {
    summary: "Set a user's password and end their sessions",
    scope: 'admin',
    right: 'folder',
    body: newPassword,
    response: passwordReset,
  },
  'DELETE /api/manage/users/{user}': {
    summary: 'Delete a user with their sessions, memberships, open invitations and tokens',
    scope: 'admin',
    right: 'folder',
    ifMatch: true,
    response: user,
  },
  'POST /api/manage/claim': {
    summary: 'Create a claim link for the first owner; earlier links stop working',
    scope: 'admin',
    right: 'folder',
    response: claimOffer,
    status: 201,
  },
} as const satisfies RouteTable;
