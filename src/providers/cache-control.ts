import { type ScanValues, UNCLEAR } from '../lib/json/scan-record.ts';
import type { DemandTally } from './demand-tally.ts';

/** A write for which no lifetime is named lasts five minutes. */
export function readCacheControl(values: ScanValues, tally: DemandTally, path = 'cache_control'): void {
  if (values.uses(path)) tally.cacheWrite(values.isObject(path) ? values.text(`${path}.ttl`) : UNCLEAR);
}
