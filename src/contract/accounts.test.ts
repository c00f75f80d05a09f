import { expect, test } from 'vitest';
import type { MemberRole } from '../domain/identity/access.ts';
import type * as accounts from './accounts.ts';
import * as shapes from './accounts.ts';

const at = '2026-11-21T20:00:00.000Z';
const role: MemberRole = 'viewer';
const password = 'correct horse battery';

const requests = [
  [shapes.claimRequest, { code: 'c', name: 'Ada', email: 'ada@example.com', password } satisfies accounts.ClaimRequest],
  [shapes.acceptRequest, { code: 'c' } satisfies accounts.AcceptRequest],
  [shapes.memberChange, { role: 'admin' } satisfies accounts.MemberChange],
  [shapes.newInvitation, { role } satisfies accounts.NewInvitation],
] as const;

const invited = { id: 'inv_1', role, email: null, expiresAt: at };
const answers = [
  [
    shapes.openInvitation,
    {
      workspace: 'default',
      role,
      email: null,
      invitedBy: 'Ada',
      expiresAt: at,
    } satisfies accounts.OpenInvitationShape,
  ],
  [
    shapes.member,
    {
      userId: 'user_1',
      name: 'Ada',
      email: 'ada@example.com',
      role,
      since: at,
      etag: 'x',
    } satisfies accounts.MemberShape,
  ],
  [
    shapes.invitation,
    {
      ...invited,
      createdAt: at,
      createdBy: 'Ada',
      state: 'open',
      acceptedBy: null,
      etag: 'x',
    } satisfies accounts.InvitationShape,
  ],
  [
    shapes.createdInvitation,
    { ...invited, link: 'https://x/join#c', mailed: false, mailError: null } satisfies accounts.CreatedInvitation,
  ],
  [shapes.account, { version: '0.1.0', demo: false, state: 'signed_out' } satisfies accounts.AccountShape],
] as const;

const others = {
  signIn: { email: 'ada@example.com', password } satisfies accounts.SignInRequest,
  change: { currentPassword: password, newPassword: `${password}!` } satisfies accounts.ChangePasswordRequest,
  session: {
    id: 's',
    createdAt: at,
    updatedAt: at,
    expiresAt: at,
    ipAddress: null,
    userAgent: null,
    current: true,
  } satisfies accounts.SessionShape,
};

test('requests that change an account accept only known fields', () => {
  for (const [shape, value] of requests) {
    expect(shape.safeParse(value).success).toBe(true);
    expect(shape.safeParse({ ...value, workspaceId: 'ws_other' }).success).toBe(false);
  }
});

test('responses to the dashboard match their schemas', () => {
  for (const [shape, value] of answers) expect(shape.parse(value)).toEqual(value);
  expect(Object.keys(others.session)).not.toContain('token');
});
