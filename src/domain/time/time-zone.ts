import { TollbookError } from '../errors.ts';

/** An IANA name in its usual spelling. Offsets such as `+02:00` know no summer time and are refused. */
export function parseTimeZone(text: string, param = 'timeZone'): string {
  try {
    const zone = new Intl.DateTimeFormat('en', { timeZone: text.trim() }).resolvedOptions().timeZone;
    if (!/^[+-]/.test(zone)) return zone;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const shown = text.slice(0, 64);
  throw new TollbookError('invalid', `"${shown}" is no time zone; use a name such as UTC or Europe/Berlin.`, param);
}
