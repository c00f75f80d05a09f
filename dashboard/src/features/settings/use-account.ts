import { type UseMutationResult, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type {
  AccountChange,
  AccountShape,
  ChangePasswordRequest,
  RevokeSessionRequest,
  SessionShape,
} from '../../../../src/contract/accounts.ts';
import { request } from '../../shared/api/request.ts';
import { useSingleFlightMutation } from '../../shared/api/use-deed.ts';
import { accountQuery } from '../../shared/session/account.ts';

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
