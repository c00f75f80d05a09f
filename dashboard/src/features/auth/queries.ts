import { type UseMutationResult, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { OpenInvitationShape } from '../../../../src/contract/accounts.ts';
import type { RouteRequest } from '../../../../src/contract/routes.ts';
import { addRoute, request } from '../../shared/api/request.ts';
import { useSingleFlightMutation } from '../../shared/api/use-api.ts';
import { accountQuery } from '../../shared/session/account.ts';

type SessionRoute = 'POST /api/account/claim' | 'POST /api/account/accept' | 'POST /api/auth/sign-in/email';

/** Starts a user session, whose cookie comes with the response, then opens the requested page. */
export function useStartSession<Key extends SessionRoute>(
  route: Key,
  to: string = '/',
): UseMutationResult<unknown, Error, RouteRequest<Key>> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useSingleFlightMutation({
    mutationFn: (parts: RouteRequest<Key>) => request(addRoute(route, parts, { workspaceId: null })),
    onSuccess: async () => {
      // Cached data belongs to the previous user.
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== accountQuery.queryKey[0] });
      await client.fetchQuery({ ...accountQuery, staleTime: 0 });
      await navigate({ href: to, replace: true });
    },
  });
}

/** Reads an invitation. Its code is sent in a header, so it is in no log. */
export function useInvitation(code: string | null): UseQueryResult<OpenInvitationShape> {
  return useQuery({
    queryKey: ['invitation', code],
    queryFn: ({ signal }) =>
      request({
        route: 'GET /api/account/invitation',
        headers: { 'x-svc-code': code ?? '' },
        workspaceId: null,
        signal,
      }),
    enabled: code !== null,
  });
}
