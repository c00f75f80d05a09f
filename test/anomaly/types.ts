import type { FindingType } from '../../src/domain/anomaly/finding.ts';

/** What an incident may be told as. */
export const COST: readonly FindingType[] = ['COST_SPIKE'];
export const ANY: readonly FindingType[] = ['COST_SPIKE', 'UNUSUAL_ACTIVITY'];
export const ERRORS: readonly FindingType[] = ['ERROR_SPIKE'];
