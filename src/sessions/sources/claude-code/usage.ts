import type { More, Pass } from './facts.ts';
import { type Fields, fieldsOf, textOf } from './fields.ts';

/** What a row says was used; all whole numbers from 0 up. */
export interface LoggedUsage {
  readonly pass: Pass;
  readonly thinking: number;
  readonly more: More | undefined;
}

/** No call uses as much: it would carry sums beyond exact numbers. */
export const COUNT_MAX = 1_000_000_000_000;
/** Billed beside the top level of `usage`; all other kinds of passes are inside it. */
const BESIDE: ReadonlySet<unknown> = new Set(['advisor_message', 'compaction']);

/** null = a count is none that can be believed. */
export function loggedUsage(fields: Fields): LoggedUsage | null {
  const pass = passOf(fields, null);
  const thinking = countOf(fieldsOf(fields['output_tokens_details'])['thinking_tokens']);
  const more = moreOf(fields, pass);
  const sum = sumOf(pass) + thinking + (more?.searches ?? 0) + (more?.fetches ?? 0);
  const others = [...(more?.passes ?? []), ...(more?.beside ?? [])];
  return [sum, ...others.map(sumOf)].every((count) => count <= COUNT_MAX) ? { pass, thinking, more } : null;
}

function moreOf(fields: Fields, whole: Pass): More | undefined {
  const tools = fields['server_tool_use'];
  const { iterations } = fields;
  if (tools === undefined && iterations === undefined) return undefined;
  const searches = countOf(fieldsOf(tools)['web_search_requests']);
  const fetches = countOf(fieldsOf(tools)['web_fetch_requests']);
  const entries = Array.isArray(iterations) ? iterations.map(fieldsOf) : [];
  // Nearly every answer was made in one pass, and used no server tool.
  if (
    searches + fetches === 0 &&
    (entries.length === 0 || (entries.length === 1 && entries[0]?.['type'] === 'message'))
  )
    return undefined;
  const beside = entries.filter(({ type }) => BESIDE.has(type)).map(passOfEntry);
  const passes = withoutDeclined(entries.filter(({ type }) => !BESIDE.has(type))).map(passOfEntry);
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
function withoutDeclined(entries: readonly Fields[]): readonly Fields[] {
  if (!entries.some(({ type }) => type === 'fallback_message')) return entries;
  return entries.filter((entry) => entry['type'] !== 'message' || countOf(entry['output_tokens']) !== 0);
}

function isSplit(whole: Pass, passes: readonly Pass[]): boolean {
  return ([1, 2, 3, 4, 5] as const).every(
    (place) => passes.reduce((sum, pass) => sum + pass[place], 0) === whole[place],
  );
}

function passOfEntry(entry: Fields): Pass {
  return passOf(entry, textOf(entry['model']));
}

function passOf(fields: Fields, model: string | null): Pass {
  const split = fieldsOf(fields['cache_creation']);
  return passFrom(
    model,
    countOf(fields['input_tokens']),
    countOf(fields['output_tokens']),
    countOf(fields['cache_read_input_tokens']),
    countOf(fields['cache_creation_input_tokens']),
    countOf(split['ephemeral_5m_input_tokens']),
    countOf(split['ephemeral_1h_input_tokens']),
  );
}

/** What the split of cache writes leaves out lives as long as what it has, or five minutes where that is mixed or nothing. */
export function passFrom(
  model: string | null,
  input: number,
  output: number,
  cacheRead: number,
  written: number,
  short: number,
  long: number,
): Pass {
  const rest = Math.max(0, written - short - long);
  const restIsLong = long > 0 && short === 0;
  return [model, input, output, cacheRead, restIsLong ? short : short + rest, restIsLong ? long + rest : long];
}

/** Input, output, cache reads and writes together. */
export function sumOf(pass: Pass): number {
  return pass[1] + pass[2] + pass[3] + pass[4] + pass[5];
}

/** Absent and null are 0. What is no count is NaN, which every sum carries on. */
function countOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : Number.NaN;
}
