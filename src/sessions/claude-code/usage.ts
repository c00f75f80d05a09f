import type { ExtraUsage, PassCounts } from './facts.ts';
import { asCount, asMembers, asText, type JsonObject } from '../../lib/json/values.ts';

/** Usage in a row, in whole numbers from 0 up. */
export interface LoggedUsage {
  readonly pass: PassCounts;
  readonly thinking: number;
  readonly more: ExtraUsage | undefined;
}

/** No call uses as much. Larger counts would make sums inexact. */
export const COUNT_MAX = 1_000_000_000_000;
/** Kinds of passes billed in addition to the top level of `usage`, which includes all others. */
const SEPARATE_KINDS: ReadonlySet<unknown> = new Set(['advisor_message', 'compaction']);

/** Reads the usage of a row; null = a count is not plausible. */
export function readLoggedUsage(fields: JsonObject): LoggedUsage | null {
  const pass = readPass(fields, null);
  const thinking = asCount(asMembers(fields['output_tokens_details'])['thinking_tokens']);
  const more = readExtraUsage(fields, pass);
  const sum = sumPass(pass) + thinking + (more?.searches ?? 0) + (more?.fetches ?? 0);
  const others = [...(more?.passes ?? []), ...(more?.separate ?? [])];
  return [sum, ...others.map(sumPass)].every((count) => count <= COUNT_MAX) ? { pass, thinking, more } : null;
}

function readExtraUsage(fields: JsonObject, whole: PassCounts): ExtraUsage | undefined {
  const tools = fields['server_tool_use'];
  const { iterations } = fields;
  if (tools === undefined && iterations === undefined) return undefined;
  const searches = asCount(asMembers(tools)['web_search_requests']);
  const fetches = asCount(asMembers(tools)['web_fetch_requests']);
  const entries = Array.isArray(iterations) ? iterations.map(asMembers) : [];
  // Nearly every answer has one pass and no server tool.
  if (
    searches + fetches === 0 &&
    (entries.length === 0 || (entries.length === 1 && entries[0]?.['type'] === 'message'))
  )
    return undefined;
  const separate = entries.filter(({ type }) => SEPARATE_KINDS.has(type)).map(readIteration);
  const passes = withoutDeclined(entries.filter(({ type }) => !SEPARATE_KINDS.has(type))).map(readIteration);
  const split = passes.length > 1 && isSplit(whole, passes);
  // Server tools cause several passes. If only their sum is known, no pass is known to have a long prompt.
  const summed = passes.length === 0 ? searches + fetches > 0 : passes.length > 1 && !split;
  if (searches + fetches === 0 && separate.length === 0 && !split && !summed) return undefined;
  return {
    ...(searches !== 0 && { searches }),
    ...(fetches !== 0 && { fetches }),
    ...(split && { passes }),
    ...(summed && { summed }),
    ...(separate.length > 0 && { separate }),
  };
}

/** Removes models that declined before any output, so that another one answered. They are not billed. */
function withoutDeclined(entries: readonly JsonObject[]): readonly JsonObject[] {
  if (!entries.some(({ type }) => type === 'fallback_message')) return entries;
  return entries.filter((entry) => entry['type'] !== 'message' || asCount(entry['output_tokens']) !== 0);
}

function isSplit(whole: PassCounts, passes: readonly PassCounts[]): boolean {
  return ([1, 2, 3, 4, 5] as const).every(
    (place) => passes.reduce((sum, pass) => sum + pass[place], 0) === whole[place],
  );
}

function readIteration(entry: JsonObject): PassCounts {
  return readPass(entry, asText(entry['model']));
}

function readPass(fields: JsonObject, model: string | null): PassCounts {
  const split = asMembers(fields['cache_creation']);
  return toPass(
    model,
    asCount(fields['input_tokens']),
    asCount(fields['output_tokens']),
    asCount(fields['cache_read_input_tokens']),
    asCount(fields['cache_creation_input_tokens']),
    asCount(split['ephemeral_5m_input_tokens']),
    asCount(split['ephemeral_1h_input_tokens']),
  );
}

/** Builds a pass. Cache writes missing in the split get the lifetime of the others, or five minutes if mixed or absent. */
export function toPass(
  model: string | null,
  input: number,
  output: number,
  cacheRead: number,
  written: number,
  short: number,
  long: number,
): PassCounts {
  const rest = Math.max(0, written - short - long);
  const restIsLong = long > 0 && short === 0;
  return [model, input, output, cacheRead, restIsLong ? short : short + rest, restIsLong ? long + rest : long];
}

/** Returns input, output, cache reads and writes of a pass together. */
export function sumPass(pass: PassCounts): number {
  return pass[1] + pass[2] + pass[3] + pass[4] + pass[5];
}
