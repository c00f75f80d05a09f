import { TollbookError } from '../../domain/errors.ts';
import { type ScanRecord, type ScanValues, UNCLEAR } from '../../lib/json/scan-record.ts';
import type { DemandTally } from '../demand-tally.ts';
import type { RequestBody } from '../request-body.ts';

/** Role markers and the words around tools. */
export const PREAMBLE_TOKENS_MAX = 2_048;

/** Returns the service tier in the body, as answers name it; null = the project's settings decide. */
export function tierWord(body: RequestBody): string | null {
  const word = body.word('service_tier');
  if (word === 'fast') return 'priority';
  return word === 'auto' ? null : word;
}

/** Reads the lifetime of cache writes: half an hour unless the request, or a breakpoint in it, asks for longer. */
export function readCacheOptions(body: RequestBody, tally: DemandTally): void {
  readLifetime(body, 'prompt_cache_options', tally);
  if (body.notes('prompt_cache_breakpoint')) tally.longCacheWrite();
}

/** Reads the lifetime that a content part requests. */
export function readBreakpoint(part: ScanRecord, tally: DemandTally): void {
  readLifetime(part, 'prompt_cache_breakpoint', tally);
}

function readLifetime(values: ScanValues, path: string, tally: DemandTally): void {
  if (!values.uses(path)) return;
  const ttl = values.isObject(path) ? values.text(`${path}.ttl`) : UNCLEAR;
  if (ttl !== null && ttl !== '30m') tally.longCacheWrite();
}

/** Reads the reasoning mode. The mode `pro` makes several passes, and no field limits their number. */
export function readReasoning(body: RequestBody, tally: DemandTally): void {
  const mode = body.word('reasoning.mode');
  if (mode !== null && mode !== 'standard') tally.unbounded('reasoning.mode');
}

/** Names that routers use for models in the mode `pro`, from GPT-5.6 on. */
const PRO_MODEL = /\bgpt-(?:5\.[6-9]|[6-9]|[1-9]\d)[\w.-]*-pro\b/i;

/** Returns true if the model's name implies the mode. */
export function readModelName(model: string, tally: DemandTally): void {
  if (PRO_MODEL.test(model)) tally.unbounded('model, which reasons in the mode pro');
}

export function unmetered(param: string, why: string): TollbookError {
  return new TollbookError('invalid', `"${param}" is not supported: ${why}.`, param);
}

/**
 * Returns the maximum tokens of one picture of any size and detail; null = no figure is published. OpenAI docs, "Images and
 * vision", "Calculating costs": pictures are cut into at most eight tiles of 512 pixels, or into at most 1,536 patches of 32
 * pixels, times a factor of the model.
 */
export function openaiImageTokensMax(model: string): number | null {
  for (const [names, tokens] of MODELS) if (names.test(model)) return tokens;
  return null;
}

export function unknownImageTokens(): null {
  return null;
}

const TILES_MAX = 8;
const PATCHES_MAX = 1_536;

const MODELS: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4o-mini(?:-20|$)/, 2_833 + TILES_MAX * 5_667],
  [/^(?:gpt-4\.1|gpt-5|o4)-(?:mini|nano)(?:-20|$)/, Math.ceil(PATCHES_MAX * 2.46)],
  [/^(?:gpt-4o|gpt-4\.1|gpt-4\.5-preview|gpt-4-turbo|chatgpt-4o-latest)(?:-20|$)/, 85 + TILES_MAX * 170],
  [/^(?:gpt-5|gpt-5-chat-latest|o1|o1-pro|o3)(?:-20|$)/, 75 + TILES_MAX * 150],
];
