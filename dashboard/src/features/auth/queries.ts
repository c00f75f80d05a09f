import { type UseMutationResult, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { OpenInvitationShape } from '../../../../src/contract/accounts.ts';
import { request } from '../../shared/api/request.ts';
import { useSingleFlightMutation } from '../../shared/api/use-api.ts';
import { accountQuery } from '../../shared/session/account.ts';

interface SessionRequest {
  readonly path: string;
  readonly body: unknown;
}

/** Asks for a session; the answer brings its cookie. Then leads to where the person wanted to go. */
export function useStartSession(to: string = '/'): UseMutationResult<unknown, Error, SessionRequest> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useSingleFlightMutation({
    mutationFn: ({ path, body }: SessionRequest) => request({ method: 'POST', path, body, workspaceId: null }),
    onSuccess: async () => {
      // What was read before belongs to whoever sat here before.
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== accountQuery.queryKey[0] });
      await client.fetchQuery({ ...accountQuery, staleTime: 0 });
      await navigate({ href: to, replace: true });
    },
  });
}

/** What an invitation is for. Its code goes in a header, so that it is in no log. */
export function useInvitation(code: string | null): UseQueryResult<OpenInvitationShape> {
  return useQuery({
    queryKey: ['invitation', code],
    queryFn: ({ signal }) =>
      request<OpenInvitationShape>({
        path: '/api/account/invitation',
        headers: { 'x-svc-code': code ?? '' },
        workspaceId: null,
        signal,
      }),
    enabled: code !== null,
  });
}
