import { toIso } from '../domain/time/period.ts';
import { invitationLink } from '../domain/identity/secret.ts';
import type { CreatedInvitation, InvitationShape } from '../contract/accounts.ts';
import { endpoint } from './http/endpoint.ts';
import { computeEtag } from './http/if-match.ts';
import { toAppointer } from './permissions.ts';
import { nameActors, type NameOf } from './audit.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { Invitation } from '../storage/records/invitations.ts';
import type { ApiSettings } from './settings.ts';
import type { Clock } from '../lib/clock.ts';
import { describeMailFailure, invitationMail } from '../notifications/destinations/invitation-mail.ts';
import type { MailSender } from '../lib/http/mailer.ts';
import type { Records } from '../storage/records/records.ts';

export interface InvitationServices {
  readonly settings: ApiSettings;
  readonly clock: Clock;
  readonly records: Records;
  /** null = the operator has named no mail server. */
  readonly mailer: Pick<MailSender, 'send'> | null;
}

export const listInvitations = endpoint(
  'GET /api/manage/invitations',
  async ({ caller }, { records, clock }: InvitationServices) => {
    const invitations = await records.invitations.list(caller.workspaceId);
    const names = await nameActors(
      invitations.flatMap(({ createdBy, acceptedBy }) => [createdBy, acceptedBy ?? '']),
      caller.workspaceId,
      records,
    );
    return invitations.map((one) => invitationView(one, names, clock()));
  },
);

export const createInvitation = endpoint(
  'POST /api/manage/invitations',
  async ({ caller, body }, services: InvitationServices) => {
    const { records, clock, settings } = services;
    const { role, email, days } = body;
    const input = { workspaceId: caller.workspaceId, role, email, expiresAt: clock() + days * DAY_MS };
    const { invitation: made, code } = await records.invitations.create(input, toAppointer(caller));
    const link = invitationLink(settings.baseUrl, code);
    const view = { id: made.id, role, email: made.email, expiresAt: toIso(made.expiresAt), link };
    return { ...view, ...(body.mail ? await mailInvitation(made, link, services) : NOT_MAILED) };
  },
);

type SentMail = Pick<CreatedInvitation, 'mailed' | 'mailError'>;

const NOT_MAILED: SentMail = { mailed: false, mailError: null };

/** Mails the link to the only person who may use it. The invitation stays if that fails: its link can be shared. */
async function mailInvitation(
  { email, role, workspaceId, createdBy, expiresAt }: Invitation,
  link: string,
  { records, mailer }: InvitationServices,
): Promise<SentMail> {
  if (email === null || mailer === null) return NOT_MAILED;
  const { name, timeZone } = await records.workspaces.get(workspaceId);
  const invitedBy = (await nameActors([createdBy], workspaceId, records))(createdBy) ?? null;
  const sent = await mailer.send({
    to: email,
    ...invitationMail({ workspace: name, role, invitedBy, link, expiresAt, timeZone }),
  });
  const mailError = describeMailFailure(sent);
  return { mailed: mailError === null, mailError };
}

export const revokeInvitation = endpoint(
  'DELETE /api/manage/invitations/{id}',
  async ({ caller, path, requireMatch }, { records, clock }: InvitationServices) => {
    const revoked = await records.invitations.revoke(caller.workspaceId, path.id, toAppointer(caller), (now) =>
      requireMatch({ etag: invitationEtag(now) }),
    );
    return invitationView(revoked, await nameActors([revoked.createdBy], caller.workspaceId, records), clock());
  },
);

function invitationView(one: Invitation, nameOf: NameOf, now: number): InvitationShape {
  const { id, role, email, createdAt, expiresAt, createdBy, acceptedBy } = one;
  return {
    id,
    role,
    email,
    createdAt: toIso(createdAt),
    expiresAt: toIso(expiresAt),
    createdBy: nameOf(createdBy) ?? createdBy,
    state: invitationState(one, now),
    acceptedBy: acceptedBy === null ? null : (nameOf(acceptedBy) ?? acceptedBy),
    etag: invitationEtag(one),
  };
}

function invitationEtag({ id, role, email, expiresAt, acceptedAt, revokedAt }: Invitation): string {
  return computeEtag({ id, role, email, expiresAt, acceptedAt, revokedAt });
}

function invitationState({ acceptedAt, revokedAt, expiresAt }: Invitation, now: number): InvitationShape['state'] {
  if (acceptedAt !== null) return 'accepted';
  if (revokedAt !== null) return 'revoked';
  return expiresAt > now ? 'open' : 'expired';
}
