import { TollbookError } from '../../domain/errors.ts';

/** Epoch ms after which a secret is no longer taken; a new one must not begin expired. null = never. */
export function parseExpiry(expiresAt: number | null, now: number): number | null {
  if (expiresAt === null) return null;
  if (!Number.isSafeInteger(expiresAt) || expiresAt < 0)
    throw new TollbookError('invalid', 'The expiry is no point in time.', 'expiresAt');
  if (expiresAt <= now) throw new TollbookError('invalid', 'The expiry lies in the past.', 'expiresAt');
  return expiresAt;
}
