import { createContext, useContext } from 'react';
import type { AccountShape } from '../../../../src/contract/accounts.ts';
import type { Membership } from './account.ts';
import { may, type Right } from './rights.ts';

/** Who is signed in, and which workspace is shown. */
export interface Session {
  readonly account: AccountShape;
  readonly workspace: Membership;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('A page that needs a session was shown outside the shell.');
  return session;
}

export function useWorkspace(): Membership {
  return useSession().workspace;
}

/** Whether the person may do this in the workspace that is shown; what they may not do is not offered. */
export function useMay(right: Right): boolean {
  return may(useWorkspace().role, right);
}
