import type { ExtraUsage, PassCounts } from './facts.ts';
import { type RowFields, asFields, asText } from './fields.ts';

/** What a row says was used; all whole numbers from 0 up. */
export interface LoggedUsage {
  readonly pass: PassCounts;
  readonly thinking: number;
  readonly more: ExtraUsage | undefined;
}

/** No call uses as much: it would carry sums beyond exact numbers. */
export const COUNT_MAX = 1_000_000_000_000;
/** Billed beside the top level of `usage`; all other kinds of passes are inside it. */
const SEPARATE_KINDS: ReadonlySet<unknown> = new Set(['advisor_message', 'compaction']);

/** null = a count is none that can be believed. */
export function readLoggedUsage(fields: RowFields): LoggedUsage | null {
  const pass = readPass(fields, null);
  const thinking = asCount(asFields(fields['output_tokens_details'])['thinking_tokens']);
  const more = readExtraUsage(fields, pass);
  const sum = sumPass(pass) + thinking + (more?.searches ?? 0) + (more?.fetches ?? 0);
  const others = [...(more?.passes ?? []), ...(more?.beside ?? [])];
  return [sum, ...others.map(sumPass)].every((count) => count <= COUNT_MAX) ? { pass, thinking, more } : null;
}

function readExtraUsage(fields: RowFields, whole: PassCounts): ExtraUsage | undefined {
  const tools = fields['server_tool_use'];
  const { iterations } = fields;
  if (tools === undefined && iterations === undefined) return undefined;
  const searches = asCount(asFields(tools)['web_search_requests']);
  const fetches = asCount(asFields(tools)['web_fetch_requests']);
  const entries = Array.isArray(iterations) ? iterations.map(asFields) : [];
  // Nearly every answer was made in one pass, and used no server tool.
  if (
    searches + fetches === 0 &&
    (entries.length === 0 || (entries.length === 1 && entries[0]?.['type'] === 'message'))
  )
    return undefined;
  const beside = entries.filter(({ type }) => SEPARATE_KINDS.has(type)).map(readIteration);
  const passes = withoutDeclined(entries.filter(({ type }) => !SEPARATE_KINDS.has(type))).map(readIteration);
  const split = passes.length > 1 && isSplit(whole, passes);
  // Server tools make several passes. Where only their sum is told, none is known to have a long prompt.
  const summed = passes.length === 0 ? searches + fetches > 0 : passes.length > 1 && !split;
  if (searches + fetches === 0 && beside.length === 0 && !split && !summed) return undefined;
  return {
    ...(searches !== 0 && { searches }),
    ...(fetches !== 0 && { fetches }),
    ...(split && { passes }),
    ...(summed && { summed }),
    ...(beside.length > 0 && { beside }),
  };
}

/** A model that declined before any output, so that another one answered, is not billed. */
function withoutDeclined(entries: readonly RowFields[]): readonly RowFields[] {
  if (!entries.some(({ type }) => type === 'fallback_message')) return entries;
  return entries.filter((entry) => entry['type'] !== 'message' || asCount(entry['output_tokens']) !== 0);
}

function isSplit(whole: PassCounts, passes: readonly PassCounts[]): boolean {
  return ([1, 2, 3, 4, 5] as const).every(
    (place) => passes.reduce((sum, pass) => sum + pass[place], 0) === whole[place],
  );
}

function readIteration(entry: RowFields): PassCounts {
  return readPass(entry, asText(entry['model']));
}

function readPass(fields: RowFields, model: string | null): PassCounts {
  const split = asFields(fields['cache_creation']);
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

/** What the split of cache writes leaves out lives as long as what it has, or five minutes where that is mixed or nothing. */
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

/** Input, output, cache reads and writes together. */
export function sumPass(pass: PassCounts): number {
  return pass[1] + pass[2] + pass[3] + pass[4] + pass[5];
}

/** Absent and null are 0. What is no count is NaN, which every sum carries on. */
function asCount(value: unknown): number {
  if (value === undefined || value === null) return 0;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : Number.NaN;
}
