import { useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { request } from '../api/request.ts';
import { useSingleFlightMutation } from '../api/use-api.ts';

const ROUTES = {
  here: 'POST /api/auth/sign-out',
  everywhere: 'POST /api/auth/revoke-sessions',
} as const;

export type SignOutScope = keyof typeof ROUTES;

/** Ends this user session or all of them, and clears all cached data. */
export function useSignOut(): UseMutationResult<unknown, Error, SignOutScope> {
  const client = useQueryClient();
  return useSingleFlightMutation({
    mutationFn: (scope: SignOutScope) => request({ route: ROUTES[scope], workspaceId: null }),
    onSuccess: () => {
      client.clear();
      globalThis.location.assign('/sign-in');
    },
  });
}
