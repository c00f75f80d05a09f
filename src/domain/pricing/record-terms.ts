import { isPlainGeo, isPlainSpeed, isPlainTier } from './pricing.ts';
import { type RecordShare, SHARE_GEOS, SHARE_SPEEDS, SHARE_TIERS } from '../sessions/session-record.ts';
import type { ServiceTerms } from '../usage/usage.ts';

export type ShareTerms = Pick<RecordShare, 'speed' | 'tier' | 'geo'>;

/** Terms in the words of a share; ordinary ones are left out. */
export function shareTerms({ speed, tier, geo }: ServiceTerms): ShareTerms {
  return {
    ...(!isPlainSpeed(speed) && { speed: shareWord(SHARE_SPEEDS, speed) }),
    ...(tier !== null && !isPlainTier(tier) && { tier: shareWord(SHARE_TIERS, tier) }),
    ...(geo !== null && !isPlainGeo(geo) && { geo: shareWord(SHARE_GEOS, geo) }),
  };
}

function shareWord<Word extends string>(words: readonly Word[], word: string): Word | 'other' {
  return words.find((one) => one === word) ?? 'other';
}

/** Prompt lengths (tokens) at which vendors change their rates: where no price says which, all are kept apart. */
const LENGTH_STEPS: readonly number[] = [100_000, 128_000, 200_000, 256_000, 272_000];

/** The highest of these steps that a prompt is longer than; 0 = none. */
export function lengthStep(promptTokens: number): number {
  return LENGTH_STEPS.findLast((step) => promptTokens > step) ?? 0;
}
