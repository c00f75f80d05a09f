import { queryOptions } from '@tanstack/react-query';
import type { AccountShape } from '../../../../src/contract/accounts.ts';
import { request } from '../api/request.ts';

/** A workspace and what one is in it. */
export type WorkspaceMembership = NonNullable<AccountShape['workspaces']>[number];
export type MemberRole = WorkspaceMembership['role'];

/** Who looks at the page, and at what they may. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => request<AccountShape>({ path: '/api/account', workspaceId: null, signal }),
  staleTime: 60_000,
});

/** The one the address names, else the one shown last, else the first; null = the person is in none. */
export function chooseWorkspace(
  workspaces: readonly WorkspaceMembership[],
  named: string | undefined,
  last: string | null,
): WorkspaceMembership | null {
  const find = (id: string | null | undefined): WorkspaceMembership | undefined =>
    workspaces.find((each) => each.id === id);
  return find(named) ?? find(last) ?? workspaces[0] ?? null;
}
