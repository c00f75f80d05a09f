import { TollbookError } from '../../domain/errors.ts';
import { UNCLEAR } from '../../lib/json/scan-record.ts';
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

/** Cache writes last half an hour unless the request asks for longer. */
export function readCacheOptions(body: RequestBody, tally: DemandTally): void {
  if (!body.uses('prompt_cache_options')) return;
  const ttl = body.isObject('prompt_cache_options') ? body.text('prompt_cache_options.ttl') : UNCLEAR;
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
