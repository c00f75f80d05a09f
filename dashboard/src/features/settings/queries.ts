import { type UseMutationResult, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import type {
  AccountChange,
  AccountShape,
  ChangePasswordRequest,
  CreatedInvitation,
  InvitationShape,
  ListedToken,
  MemberShape,
  NewInvitation,
  RevokeSessionRequest,
  SessionShape,
} from '../../../../src/contract/accounts.ts';
import type { AccessTokenShape, CreatedToken, WorkspaceShape } from '../../../../src/contract/usage.ts';
import { request } from '../../shared/api/request.ts';
import { useChange, useRead, useSingleFlightMutation } from '../../shared/api/use-api.ts';
import { accountQuery, type MemberRole } from '../../shared/session/account.ts';

const SESSIONS = ['sessions'];

/** Where one is signed in: about a person, and no workspace. */
export function useSessions(): UseQueryResult<readonly SessionShape[]> {
  return useQuery({
    queryKey: SESSIONS,
    queryFn: ({ signal }) =>
      request<readonly SessionShape[]>({ path: '/api/auth/list-sessions', workspaceId: null, signal }),
  });
}

/** Signs out elsewhere; here it is `useSignOut`. */
export function useEndSession(): UseMutationResult<unknown, Error, RevokeSessionRequest> {
  return useSingleFlightMutation({
    mutationFn: (body) => request({ method: 'POST', path: '/api/auth/revoke-session', body, workspaceId: null }),
    onSettled: (_data, _error, _variables, _result, { client }) => client.invalidateQueries({ queryKey: SESSIONS }),
  });
}

/** Reads anew all that names people: it is what the others see too. */
export function useRename(): UseMutationResult<AccountShape, Error, AccountChange> {
  return useSingleFlightMutation({
    mutationFn: (body) => request<AccountShape>({ method: 'PATCH', path: '/api/account', body, workspaceId: null }),
    async onSuccess(account, _variables, _result, { client }) {
      client.setQueryData(accountQuery.queryKey, account);
      await client.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1]).startsWith('/api/manage/') });
    },
  });
}

export function useChangePassword(): UseMutationResult<unknown, Error, ChangePasswordRequest> {
  return useSingleFlightMutation({
    mutationFn: (body) => request({ method: 'POST', path: '/api/auth/change-password', body, workspaceId: null }),
    // With the session that its answer brought: what was asked for meanwhile may have been refused.
    onSuccess: (_data, _variables, _result, { client }) => void client.invalidateQueries(),
  });
}

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

/** The workspace that is shown, with its settings: a person sees no other in this list. */
export function useOwnWorkspace(): UseQueryResult<readonly WorkspaceShape[]> {
  return useRead<readonly WorkspaceShape[]>('/api/manage/workspaces');
}

type WorkspaceFields = Pick<WorkspaceShape, 'name' | 'timeZone' | 'retentionDays'>;

interface WorkspaceChange extends WorkspaceFields {
  /** As it was read: when it is another by now, nothing is changed. */
  readonly seen: WorkspaceFields;
}

export function useUpdateWorkspace(id: string): UseMutationResult<WorkspaceShape, Error, WorkspaceChange> {
  return useChange<WorkspaceChange, WorkspaceShape>(
    (body) => ({ method: 'PATCH', path: `/api/manage/workspaces/${encodeURIComponent(id)}`, body }),
    ['/api/'],
  );
}

/** Reads anew what stands in the frame of every page: names and zones of workspaces. */
export function useRenewAccount(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: accountQuery.queryKey });
}

export type TokenScope = AccessTokenShape['scopes'][number];

const CHANGED_BY_TOKENS = ['/api/manage/tokens', '/api/manage/audit'];

/** Those that one may see, revoked ones too. */
export function useTokens(): UseQueryResult<readonly ListedToken[]> {
  return useRead<readonly ListedToken[]>('/api/manage/tokens');
}

interface NewToken {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** ISO instant; null = it works until it is revoked. */
  readonly expiresAt: string | null;
}

/** Its secret is shown once. */
export function useCreateToken(): UseMutationResult<CreatedToken, Error, NewToken> {
  return useChange<NewToken, CreatedToken>((body) => ({ path: '/api/manage/tokens', body }), CHANGED_BY_TOKENS);
}

export function useRevokeToken(id: string): UseMutationResult<AccessTokenShape, Error, void> {
  return useChange<void, AccessTokenShape>(
    () => ({ method: 'DELETE', path: `/api/manage/tokens/${encodeURIComponent(id)}` }),
    CHANGED_BY_TOKENS,
  );
}
