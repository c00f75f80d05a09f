import { iso } from '../domain/time/period.ts';

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}
