import { toIso } from '../domain/time/period.ts';
import { invitationLink } from '../domain/identity/secret.ts';
import { type InvitationShape } from '../contract/accounts.ts';
import { endpoint } from './http/endpoint.ts';
import { computeEtag } from './http/if-match.ts';
import { toAppointer } from './permissions.ts';
import { nameActors, type NameOf } from './audit.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { Invitation } from '../storage/records/invitations.ts';
import type { ApiSettings } from './settings.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';

export interface InvitationServices {
  readonly settings: ApiSettings;
  readonly clock: Clock;
  readonly records: Records;
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
  async ({ caller, body }, { records, clock, settings }: InvitationServices) => {
    const { role, email, days } = body;
    const input = { workspaceId: caller.workspaceId, role, email, expiresAt: clock() + days * DAY_MS };
    const { invitation: made, code } = await records.invitations.create(input, toAppointer(caller));
    const link = invitationLink(settings.baseUrl, code);
    return { id: made.id, role, email: made.email, expiresAt: toIso(made.expiresAt), link };
  },
);

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
