import { createContext, useContext } from 'react';
import type { AccountShape } from '../../../../src/contract/accounts.ts';
import type { WorkspaceMembership } from './account.ts';
import { may, type UserRight } from './rights.ts';

/** The signed-in user and the current workspace. */
export interface UserSession {
  readonly account: AccountShape;
  readonly workspace: WorkspaceMembership;
}

export const SessionContext = createContext<UserSession | null>(null);

export function useSession(): UserSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error('A page that needs a user session was rendered outside the shell.');
  return session;
}

export function useWorkspace(): WorkspaceMembership {
  return useSession().workspace;
}

/** Workspace whose owners own the installation. */
const FIRST_WORKSPACE = 'ws_default';

/** True if the user may change what all workspaces share: providers and price lists. */
export function useOwnsInstallation(): boolean {
  const { id, role } = useWorkspace();
  return role === 'owner' && id === FIRST_WORKSPACE;
}

/** True if the user has this right in the current workspace. Pages hide actions without it. */
export function useMay(right: UserRight): boolean {
  return may(useWorkspace().role, right);
}
