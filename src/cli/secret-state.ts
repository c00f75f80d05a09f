import { day, lastDay } from './day.ts';

/** How long a key or a token works, in a word or two. */
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
