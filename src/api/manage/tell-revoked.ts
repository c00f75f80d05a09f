import type { RevokedToken } from '../../storage/records/people-records.ts';
import type { Services } from '../services.ts';

/** Tokens that went with the right to make them: nothing lets them in any more, or tells them anything. */
export function announceRevokedTokens(revoked: readonly RevokedToken[], { gateway: gate, live }: Services): void {
  for (const { id, hash } of revoked) {
    gate.tokenChanged(hash, false);
    live.dismiss(id, null);
  }
}
