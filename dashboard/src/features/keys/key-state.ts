import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { may } from '../../shared/session/rights.ts';
import type { UserSession } from '../../shared/session/session.ts';

type KeyState = 'works' | 'expired' | 'revoked';

/** Whether calls with it pass. @param now epoch ms */
export function keyState(
  { revokedAt, expiresAt }: Pick<WrappedKeyShape, 'revokedAt' | 'expiresAt'>,
  now: number,
): KeyState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'works';
}

/** Admins change every key; members those that they made. What is revoked stays as it is. */
export function mayChangeKey(
  { account, workspace }: UserSession,
  { revokedAt, createdBy }: Pick<WrappedKeyShape, 'revokedAt' | 'createdBy'>,
): boolean {
  if (revokedAt !== null) return false;
  return may(workspace.role, 'manage') || (may(workspace.role, 'work') && createdBy === account.user?.id);
}
