import { TollbookError } from '../../core/errors.ts';
import type { RequestBody } from '../request-body.ts';

/** Role marks and the words around tools. */
export const PREAMBLE_TOKENS_MAX = 2_048;

/** The service tier that the body names, as answers name it; null = the project's settings decide. */
export function tierWord(body: RequestBody): string | null {
  const word = body.word('service_tier');
  if (word === 'fast') return 'priority';
  return word === 'auto' ? null : word;
}

export function unmetered(param: string, why: string): TollbookError {
  return new TollbookError('invalid', `"${param}" is not served here: ${why}.`, param);
}
