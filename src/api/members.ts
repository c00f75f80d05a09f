import { z } from 'zod';
import { toIso } from '../domain/time/period.ts';
import { member, memberChange, type MemberShape } from '../contract/accounts.ts';
import { seenBody } from '../contract/seen.ts';
import { requireUnchanged } from './http/if-match.ts';
import { endpoint } from './http/endpoint.ts';
import { toAppointer } from './permissions.ts';
import { announceRevokedTokens } from './tokens.ts';
import type { Member } from '../storage/records/members.ts';

export const listMembers = endpoint({
  method: 'GET',
  path: '/api/manage/members',
  summary: 'Who is a member of the workspace, and as what',
  scope: 'admin',
  right: 'read',
  answer: z.array(member),
  handle: async ({ caller }, { records }) => (await records.members.list(caller.workspaceId)).map(memberView),
});

export const setMemberRole = endpoint({
  method: 'PATCH',
  path: '/api/manage/members/{userId}',
  summary: 'Give a member another role',
  description:
    'Owners are changed by owners, and a workspace that has one keeps one. Open invitations and tokens that the new role could not make are revoked.',
  scope: 'admin',
  right: 'manage',
  body: memberChange,
  answer: member,
  async handle({ caller, path, body }, services) {
    const { members } = services.records;
    const changed = await members.setRole(caller.workspaceId, path.userId, body.role, toAppointer(caller), (now) =>
      requireUnchanged(body.seen, memberView(now)),
    );
    announceRevokedTokens(changed.revoked, services);
    return memberView(changed.member);
  },
});

export const removeMember = endpoint({
  method: 'DELETE',
  path: '/api/manage/members/{userId}',
  summary: 'Remove a member',
  description:
    'In force with the next request. Open invitations and tokens that the member made are revoked; wrapped keys stay.',
  scope: 'admin',
  right: 'manage',
  body: seenBody,
  answer: member,
  async handle({ caller, path, body }, services) {
    const { members } = services.records;
    const removed = await members.remove(caller.workspaceId, path.userId, toAppointer(caller), (now) =>
      requireUnchanged(body?.seen, memberView(now)),
    );
    announceRevokedTokens(removed.revoked, services);
    services.live.dismiss(path.userId, caller.workspaceId);
    return memberView(removed.member);
  },
});

function memberView({ user: { id, name, email }, role, since }: Member): MemberShape {
  return { userId: id, name, email, role, since: toIso(since) };
}
