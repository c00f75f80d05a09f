import type { WrappedKeyShape } from '../../../../src/contract/keys.ts';
import { may } from '../../shared/session/rights.ts';
import type { UserSession } from '../../shared/session/session.ts';

type KeyState = 'active' | 'expired' | 'revoked';

/** Returns the state of a key. @param now epoch ms */
export function keyState(
  { revokedAt, expiresAt }: Pick<WrappedKeyShape, 'revokedAt' | 'expiresAt'>,
  now: number,
): KeyState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'active';
}

/** Admins may change every key, members their own. Revoked keys can't be changed. */
export function mayChangeKey(
  { account, workspace }: UserSession,
  { revokedAt, createdBy }: Pick<WrappedKeyShape, 'revokedAt' | 'createdBy'>,
): boolean {
  if (revokedAt !== null) return false;
  return may(workspace.role, 'manage') || (may(workspace.role, 'work') && createdBy === account.user?.id);
}
