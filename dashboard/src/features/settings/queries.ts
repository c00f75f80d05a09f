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
import type { AccessTokenShape, CreatedToken } from '../../../../src/contract/tokens.ts';
import type { WorkspaceShape } from '../../../../src/contract/workspaces.ts';
import { request } from '../../shared/api/request.ts';
import { useChange, useRead, useSingleFlightMutation } from '../../shared/api/use-api.ts';
import { accountQuery, type MemberRole } from '../../shared/session/account.ts';

const SESSIONS = ['sessions'];

/** Reads the browser sessions of the user. */
export function useSessions(): UseQueryResult<readonly SessionShape[]> {
  return useQuery({
    queryKey: SESSIONS,
    queryFn: ({ signal }) => request({ route: 'GET /api/auth/list-sessions', workspaceId: null, signal }),
  });
}

/** Signs out another browser; `useSignOut` is for this one. */
export function useEndSession(): UseMutationResult<unknown, Error, RevokeSessionRequest> {
  return useSingleFlightMutation({
    mutationFn: (body) => request({ route: 'POST /api/auth/revoke-session', body, workspaceId: null }),
    onSettled: (_data, _error, _variables, _result, { client }) => client.invalidateQueries({ queryKey: SESSIONS }),
  });
}

/** Renames the user and refetches all data with names of people. */
export function useRename(): UseMutationResult<AccountShape, Error, AccountChange> {
  return useSingleFlightMutation({
    mutationFn: (body) => request({ route: 'PATCH /api/account', body, workspaceId: null }),
    async onSuccess(account, _variables, _result, { client }) {
      client.setQueryData(accountQuery.queryKey, account);
      await client.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1]).startsWith('/api/manage/') });
    },
  });
}

export function useChangePassword(): UseMutationResult<unknown, Error, ChangePasswordRequest> {
  return useSingleFlightMutation({
    mutationFn: (body) => request({ route: 'POST /api/auth/change-password', body, workspaceId: null }),
    // With the new session: requests during the change may have been refused.
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
  return useRead('GET /api/manage/members');
}

/** Reads invitations with their state, newest first. */
export function useInvitations(): UseQueryResult<readonly InvitationShape[]> {
  return useRead('GET /api/manage/invitations');
}

/** Changes a role. @param member as shown: if the role has changed since, the request fails */
export function useSetRole({ userId, etag }: MemberShape): UseMutationResult<MemberShape, Error, MemberRole> {
  return useChange(
    'PATCH /api/manage/members/{userId}',
    (role: MemberRole) => ({ params: { userId }, body: { role }, ifMatch: etag }),
    CHANGED_BY_MEMBERS,
  );
}

/** Removes a member. @param member as shown: if the role has changed since, the request fails */
export function useRemoveMember({ userId, etag }: MemberShape): UseMutationResult<MemberShape, Error, void> {
  return useChange(
    'DELETE /api/manage/members/{userId}',
    () => ({ params: { userId }, ifMatch: etag }),
    CHANGED_BY_MEMBERS,
  );
}

/** Creates an invitation; its link is shown once. */
export function useInvite(): UseMutationResult<CreatedInvitation, Error, NewInvitation> {
  return useChange('POST /api/manage/invitations', (body: NewInvitation) => ({ body }), CHANGED_BY_MEMBERS);
}

/** Revokes an invitation. @param invitation as shown: if it has changed since, the request fails */
export function useRevokeInvitation({ id, etag }: InvitationShape): UseMutationResult<InvitationShape, Error, void> {
  return useChange(
    'DELETE /api/manage/invitations/{id}',
    () => ({ params: { id }, ifMatch: etag }),
    CHANGED_BY_MEMBERS,
  );
}

/** Reads the current workspace with its settings: the list has no other one. */
export function useOwnWorkspace(): UseQueryResult<readonly WorkspaceShape[]> {
  return useRead('GET /api/manage/workspaces');
}

type WorkspaceChange = Pick<WorkspaceShape, 'name' | 'timeZone' | 'retentionDays'>;

/** Changes a workspace. @param workspace as shown: if it has changed since, the request fails */
export function useUpdateWorkspace({
  id,
  etag,
}: WorkspaceShape): UseMutationResult<WorkspaceShape, Error, WorkspaceChange> {
  return useChange(
    'PATCH /api/manage/workspaces/{id}',
    (body: WorkspaceChange) => ({ params: { id }, body, ifMatch: etag }),
    ['/api/'],
  );
}

/** Refetches the account: names and time zones of workspaces. */
export function useRenewAccount(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: accountQuery.queryKey });
}

export type TokenScope = AccessTokenShape['scopes'][number];

const CHANGED_BY_TOKENS = ['/api/manage/tokens', '/api/manage/audit'];

/** Reads the access tokens that the user may see, including revoked ones. */
export function useTokens(): UseQueryResult<readonly ListedToken[]> {
  return useRead('GET /api/manage/tokens');
}

interface NewToken {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** ISO 8601; null = never expires. */
  readonly expiresAt: string | null;
}

/** Creates an access token; its secret is shown once. */
export function useCreateToken(): UseMutationResult<CreatedToken, Error, NewToken> {
  return useChange('POST /api/manage/tokens', (body: NewToken) => ({ body }), CHANGED_BY_TOKENS);
}

export function useRevokeToken(id: string): UseMutationResult<AccessTokenShape, Error, void> {
  return useChange('DELETE /api/manage/tokens/{id}', () => ({ params: { id } }), CHANGED_BY_TOKENS);
}
