import type { WorkspaceMembership } from './account.ts';

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
