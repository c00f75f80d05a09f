import { createContext, useContext } from 'react';
import type { AccountShape } from '../../../../src/contract/accounts.ts';
import type { WorkspaceMembership } from './account.ts';
import { may, type UserRight } from './rights.ts';

/** Who is signed in, and which workspace is shown. */
export interface UserSession {
  readonly account: AccountShape;
  readonly workspace: WorkspaceMembership;
}

export const SessionContext = createContext<UserSession | null>(null);

export function useSession(): UserSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error('A page that needs a session was shown outside the shell.');
  return session;
}

export function useWorkspace(): WorkspaceMembership {
  return useSession().workspace;
}

/** Whether the person may do this in the workspace that is shown; what they may not do is not offered. */
export function useMay(right: UserRight): boolean {
  return may(useWorkspace().role, right);
}
