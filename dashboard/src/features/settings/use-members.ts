import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type {
  CreatedInvitation,
  InvitationShape,
  MemberShape,
  NewInvitation,
} from '../../../../src/contract/accounts.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { useRead } from '../../shared/api/use-read.ts';
import type { MemberRole } from '../../shared/session/account.ts';

const CHANGED_BY_MEMBERS = [
  '/api/manage/members',
  '/api/manage/invitations',
  '/api/manage/tokens',
  '/api/manage/audit',
];

export function useMembers(): UseQueryResult<readonly MemberShape[]> {
  return useRead<readonly MemberShape[]>('/api/manage/members');
}

/** Newest first, with what became of them. */
export function useInvitations(): UseQueryResult<readonly InvitationShape[]> {
  return useRead<readonly InvitationShape[]>('/api/manage/invitations');
}

interface RoleChange {
  readonly role: MemberRole;
  /** As it was shown: when it is another by now, nothing is changed. */
  readonly seen: Pick<MemberShape, 'role'>;
}

export function useSetRole(userId: string): UseMutationResult<MemberShape, Error, RoleChange> {
  return useChange<RoleChange, MemberShape>(
    (body) => ({ method: 'PATCH', path: memberPath(userId), body }),
    CHANGED_BY_MEMBERS,
  );
}

/** @param member as they were shown: when their role is another by now, they stay */
export function useRemoveMember({ userId, role }: MemberShape): UseMutationResult<MemberShape, Error, void> {
  return useChange<void, MemberShape>(
    () => ({ method: 'DELETE', path: memberPath(userId), body: { seen: { role } } }),
    CHANGED_BY_MEMBERS,
  );
}

/** Its link is shown once. */
export function useInvite(): UseMutationResult<CreatedInvitation, Error, NewInvitation> {
  return useChange<NewInvitation, CreatedInvitation>(
    (body) => ({ path: '/api/manage/invitations', body }),
    CHANGED_BY_MEMBERS,
  );
}

export function useRevokeInvitation(id: string): UseMutationResult<InvitationShape, Error, void> {
  return useChange<void, InvitationShape>(
    () => ({ method: 'DELETE', path: `/api/manage/invitations/${encodeURIComponent(id)}` }),
    CHANGED_BY_MEMBERS,
  );
}

function memberPath(userId: string): string {
  return `/api/manage/members/${encodeURIComponent(userId)}`;
}
