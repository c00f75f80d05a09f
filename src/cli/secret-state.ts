import { formatDate } from '../domain/text/dates.ts';

interface SecretTimes {
  readonly revokedAt: string | null;
  readonly expiresAt: string | null;
}

/** Describes the validity of a key or token, with days of a time zone. */
export function describeState({ revokedAt, expiresAt }: SecretTimes, timeZone: string): string {
  if (revokedAt !== null) return `revoked ${formatDate(revokedAt, timeZone)}`;
  // The end is exclusive: what was set as a day ends with it.
  return expiresAt === null ? 'live' : `until ${formatDate(Date.parse(expiresAt) - 1, timeZone)}`;
}
