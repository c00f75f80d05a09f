import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { OpenInvitationShape } from '../../../../src/contract/accounts.ts';
import { request } from '../../shared/api/request.ts';

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
