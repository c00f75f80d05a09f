import { toIso } from '../domain/time/period.ts';
import { type MemberShape } from '../contract/accounts.ts';
import { computeEtag } from './http/if-match.ts';
import { endpoint } from './http/endpoint.ts';
import { toAppointer } from './permissions.ts';
import { announceRevokedTokens } from './tokens.ts';
import type { Member } from '../storage/records/members.ts';
import type { Records } from '../storage/records/records.ts';
import type { GatewayNotices } from './gateway-notices.ts';
import type { LiveStreams } from './live-streams.ts';

export interface MemberServices {
  readonly records: Records;
  readonly gateway: Pick<GatewayNotices, 'tokenChanged'>;
  readonly live: LiveStreams;
}

export const listMembers = endpoint('GET /api/manage/members', async ({ caller }, { records }: MemberServices) =>
  (await records.members.list(caller.workspaceId)).map(memberView),
);

export const setMemberRole = endpoint(
  'PATCH /api/manage/members/{userId}',
  async ({ caller, path, body, requireMatch }, services: MemberServices) => {
    const { members } = services.records;
    const changed = await members.setRole(caller.workspaceId, path.userId, body.role, toAppointer(caller), (now) =>
      requireMatch(memberView(now)),
    );
    announceRevokedTokens(changed.revoked, services);
    return memberView(changed.member);
  },
);

export const removeMember = endpoint(
  'DELETE /api/manage/members/{userId}',
  async ({ caller, path, requireMatch }, services: MemberServices) => {
    const { members } = services.records;
    const removed = await members.remove(caller.workspaceId, path.userId, toAppointer(caller), (now) =>
      requireMatch(memberView(now)),
    );
    announceRevokedTokens(removed.revoked, services);
    services.live.dismiss(path.userId, caller.workspaceId);
    return memberView(removed.member);
  },
);

function memberView({ user: { id, name, email }, role, since }: Member): MemberShape {
  return { userId: id, name, email, role, since: toIso(since), etag: computeEtag({ id, role, since }) };
}
