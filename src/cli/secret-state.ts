import { day, lastDay } from './day.ts';

/** Describes the validity of a key or token. */
export function describeState({
  revokedAt,
  expiresAt,
}: {
  revokedAt: string | null;
  expiresAt: string | null;
}): string {
  if (revokedAt !== null) return `revoked ${day(revokedAt)}`;
  return expiresAt === null ? 'live' : `until ${lastDay(expiresAt)}`;
}
