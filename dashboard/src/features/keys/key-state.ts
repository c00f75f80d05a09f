import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';

export type KeyState = 'works' | 'expired' | 'revoked';

/** Whether calls with it pass. @param now epoch ms */
export function keyState(
  { revokedAt, expiresAt }: Pick<WrappedKeyShape, 'revokedAt' | 'expiresAt'>,
  now: number,
): KeyState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'works';
}
