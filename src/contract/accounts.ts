import { z } from 'zod';
import { time } from './fields.ts';
import { ROLES } from '../domain/identity/access.ts';
import { etag } from './fields.ts';
import { accessToken } from './tokens.ts';

const role = z.enum(ROLES);
/** Email address of an account. */
const email = z.email({ error: ({ input }) => (input === undefined ? 'is missing' : 'is not an email address') });
const password = z.string().meta({ description: '12 to 128 characters' });
const code = z.string().meta({ description: 'The part of the link after #' });
const person = z.string().meta({ description: 'Name of the person' });

export const account = z
  .object({
    version: z.string().meta({ description: "Tollbook's version" }),
    demo: z.boolean(),
    sendsMail: z.boolean().optional().meta({ description: 'Invitations can be mailed; absent while signed out' }),
    state: z
      .enum(['unclaimed', 'signed_out', 'signed_in'])
      .meta({ description: 'unclaimed = no account exists yet; the link that `serve` printed creates the first' }),
    user: z.object({ id: z.string(), name: person, email }).optional(),
    workspaces: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          role,
          timeZone: z.string(),
          showsNodes: z
            .boolean()
            .optional()
            .meta({ description: 'In this workspace the user may list nodes, of which there can be several' }),
        }),
      )
      .optional()
      .meta({ description: 'Workspaces of the user, oldest membership first' }),
  })
  .meta({ id: 'Account' });
export type AccountShape = z.output<typeof account>;

/** Body of `PATCH /api/account`. */
export const accountChange = z.strictObject({ name: person });
export type AccountChange = z.input<typeof accountChange>;

/** Body of a claim. The answer sets the session cookie and equals `GET /api/account`. */
export const claimRequest = z.strictObject({ code, name: person, email, password });
export type ClaimRequest = z.input<typeof claimRequest>;

/** Public view of an invitation. Its code is sent in the header `x-svc-code`, so that it is in no log. */
export const openInvitation = z
  .object({
    workspace: z.string().meta({ description: 'Its name' }),
    role,
    email: email.nullable().meta({ description: 'null = anyone who has the link' }),
    invitedBy: z.string(),
    expiresAt: time,
  })
  .meta({ id: 'OpenInvitation' });
export type OpenInvitationShape = z.output<typeof openInvitation>;

/** Body of an acceptance: signed-in people send only the code; others also the fields of a new account. */
export const acceptRequest = z.strictObject({
  code,
  name: person.optional(),
  email: email.optional(),
  password: password.optional(),
});
export type AcceptRequest = z.input<typeof acceptRequest>;

export const member = z
  .object({ userId: z.string(), name: person, email, role, since: time, etag })
  .meta({ id: 'Member' });
export type MemberShape = z.output<typeof member>;

export const memberChange = z.strictObject({ role });
export type MemberChange = z.input<typeof memberChange>;

export const invitation = z
  .object({
    id: z.string(),
    role,
    email: email.nullable(),
    createdAt: time,
    expiresAt: time,
    createdBy: z.string().meta({ description: 'Name of the person, token or command that created it' }),
    state: z.enum(['open', 'accepted', 'revoked', 'expired']),
    acceptedBy: z.string().nullable().meta({ description: 'Name of the person' }),
    etag,
  })
  .meta({ id: 'Invitation' });
export type InvitationShape = z.output<typeof invitation>;

export const newInvitation = z.strictObject({
  role,
  email: email.nullable().default(null),
  days: z.int().min(1).max(30).default(7).meta({ description: 'Days until the link expires' }),
  mail: z
    .boolean()
    .default(true)
    .meta({ description: 'Mail the link to `email`, if the operator has named a mail server' }),
});
export type NewInvitation = z.input<typeof newInvitation>;

export const createdInvitation = z
  .object({
    id: z.string(),
    role,
    email: email.nullable(),
    expiresAt: time,
    link: z.string().meta({ description: 'Shown once. Anyone who has it can use it once' }),
    mailed: z.boolean().meta({ description: 'The mail server took a mail with the link' }),
    mailError: z
      .string()
      .nullable()
      .meta({ description: 'Reason why the mail was not sent; null = none was to be sent' }),
  })
  .meta({ id: 'CreatedInvitation' });
export type CreatedInvitation = z.output<typeof createdInvitation>;

/** Body of `POST /api/auth/sign-in/email`; answered like a claim. */
export const signInRequest = z.strictObject({
  email: z.string(),
  password: z.string(),
  rememberMe: z.boolean().default(true).meta({ description: 'false = the session ends when the browser closes' }),
});
export type SignInRequest = z.input<typeof signInRequest>;

/** Body of `POST /api/auth/change-password`. */
export const changePasswordRequest = z.strictObject({
  currentPassword: z.string(),
  newPassword: password,
  revokeOtherSessions: z.boolean().default(true),
});
export type ChangePasswordRequest = z.input<typeof changePasswordRequest>;

/** Body of `POST /api/auth/revoke-session`. */
export const revokeSessionRequest = z.strictObject({ id: z.string() });
export type RevokeSessionRequest = z.input<typeof revokeSessionRequest>;

/** Item of `GET /api/auth/list-sessions`. */
export const session = z
  .object({
    id: z.string(),
    createdAt: time,
    updatedAt: time,
    expiresAt: time,
    ipAddress: z.string().nullable(),
    userAgent: z.string().nullable(),
    current: z.boolean().meta({ description: 'true = the session of this request' }),
  })
  .meta({ id: 'Session' });
export type SessionShape = z.output<typeof session>;

export const claimOffer = z.object({ link: z.string().meta({ description: 'Shown once' }) }).meta({ id: 'ClaimOffer' });

export const user = z
  .object({
    id: z.string(),
    name: person,
    email,
    createdAt: time,
    workspaces: z.array(z.object({ id: z.string(), role })),
    etag,
  })
  .meta({ id: 'User' });
export type UserShape = z.output<typeof user>;

export const newPassword = z.strictObject({
  password: password.nullable().default(null).meta({ description: 'null = a random one' }),
});

export const passwordReset = z
  .object({
    id: z.string(),
    name: person,
    email,
    password: z.string().nullable().meta({ description: 'Shown once; null = the request set it' }),
  })
  .meta({ id: 'PasswordReset' });
export type PasswordReset = z.output<typeof passwordReset>;

export const listedToken = accessToken
  .extend({
    createdByName: z.string().nullable().meta({ description: 'Name of a person or token; null = created by neither' }),
  })
  .meta({ id: 'ListedToken' });
export type ListedToken = z.output<typeof listedToken>;
