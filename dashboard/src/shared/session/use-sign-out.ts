import { useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { request } from '../api/request.ts';
import { useSingleFlightMutation } from '../api/use-api.ts';

export type SignOutScope = 'here' | 'everywhere';

const PATHS: Readonly<Record<SignOutScope, string>> = {
  here: '/api/auth/sign-out',
  everywhere: '/api/auth/revoke-sessions',
};

/** Ends this user session or all of them, and clears all cached data. */
export function useSignOut(): UseMutationResult<unknown, Error, SignOutScope> {
  const client = useQueryClient();
  return useSingleFlightMutation({
    mutationFn: (scope) => request({ method: 'POST', path: PATHS[scope], workspaceId: null }),
    onSuccess: () => {
      client.clear();
      globalThis.location.assign('/sign-in');
    },
  });
}
