import { queryOptions } from '@tanstack/react-query';
import type { AccountShape } from '../../../../src/contract/accounts.ts';
import { request } from '../api/request.ts';
import { MINUTE_MS } from '../../../../src/domain/time/units.ts';

/** A workspace with the user's role in it. */
export type WorkspaceMembership = NonNullable<AccountShape['workspaces']>[number];
export type MemberRole = WorkspaceMembership['role'];

/** Reads the user and the workspaces they belong to. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => request({ route: 'GET /api/account', workspaceId: null, signal }),
  staleTime: MINUTE_MS,
});

/** Chooses the workspace in the address, else the last one shown, else the first; null = the user has none. */
export function chooseWorkspace(
  workspaces: readonly WorkspaceMembership[],
  named: string | undefined,
  last: string | null,
): WorkspaceMembership | null {
  const find = (id: string | null | undefined): WorkspaceMembership | undefined =>
    workspaces.find((each) => each.id === id);
  return find(named) ?? find(last) ?? workspaces[0] ?? null;
}
