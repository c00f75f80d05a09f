import { TollbookError } from '../../domain/errors.ts';
import { type ScanRecord, type ScanValues, UNCLEAR } from '../../lib/json/scan-record.ts';
import type { DemandTally } from '../demand-tally.ts';
import type { RequestBody } from '../request-body.ts';

/** Role marks and the words around tools. */
export const PREAMBLE_TOKENS_MAX = 2_048;

/** The service tier that the body names, as answers name it; null = the project's settings decide. */
export function tierWord(body: RequestBody): string | null {
  const word = body.word('service_tier');
  if (word === 'fast') return 'priority';
  return word === 'auto' ? null : word;
}

/** Cache writes last half an hour unless the request, or a breakpoint in it, asks for longer. */
export function readCacheOptions(body: RequestBody, tally: DemandTally): void {
  readLifetime(body, 'prompt_cache_options', tally);
  if (body.notes('prompt_cache_breakpoint')) tally.longCacheWrite();
}

/** Reads the lifetime that a content part asks for. */
export function readBreakpoint(part: ScanRecord, tally: DemandTally): void {
  readLifetime(part, 'prompt_cache_breakpoint', tally);
}

function readLifetime(values: ScanValues, path: string, tally: DemandTally): void {
  if (!values.uses(path)) return;
  const ttl = values.isObject(path) ? values.text(`${path}.ttl`) : UNCLEAR;
  if (ttl !== null && ttl !== '30m') tally.longCacheWrite();
}

/** The mode `pro` reasons in several passes, and no field bounds their number. */
export function readReasoning(body: RequestBody, tally: DemandTally): void {
  const mode = body.word('reasoning.mode');
  if (mode !== null && mode !== 'standard') tally.unbounded('reasoning.mode');
}

export function unmetered(param: string, why: string): TollbookError {
  return new TollbookError('invalid', `"${param}" is not served here: ${why}.`, param);
}
