import { asMembers, asText, type JsonObject } from '../../lib/json/values.ts';
import { type CounterRow, EVENTS, KINDS, MODEL_FIELDS, RolloutRowWalk } from './row-walk.ts';

/** Needed fields of a rollout row, all unvalidated. */
export interface RolloutRow {
  readonly timestamp?: unknown;
  readonly ordinal?: unknown;
  readonly type?: unknown;
  readonly payload?: unknown;
}

/** Every relevant row contains one of these type names. */
const MARKS = [...KINDS, ...EVENTS];
/** Shared by all files. It keeps only the current row. */
const WALK = new RolloutRowWalk();

/** Returns whether a row may have usage, judged by its first bytes; null = undecided. */
export function isOfInterest(bytes: Buffer): boolean | null {
  return WALK.isOfInterest(bytes, 0, bytes.length);
}

/** Reads a line that may have usage; null = it has none, or is incomplete. */
export function readRow(
  bytes: Buffer,
  start: number,
  end: number,
  wantsModel: boolean,
): RolloutRow | CounterRow | null {
  const wanted = WALK.isOfInterest(bytes, start, end);
  if (wanted === false) return null;
  if (wanted === null && !hasTypeName(bytes.subarray(start, end))) return null;
  const counter = wanted === null ? null : WALK.counter(wantsModel);
  if (counter !== null) return counter;
  try {
    const row: unknown = JSON.parse(bytes.toString('utf8', start, end));
    return typeof row === 'object' && row !== null ? row : null;
  } catch {
    return null;
  }
}

function hasTypeName(line: Buffer): boolean {
  return MARKS.some((mark) => line.includes(mark));
}

/** Returns the first model name in the given objects. */
export function findModelName(...holders: readonly JsonObject[]): string | null {
  for (const holder of holders)
    for (const name of MODEL_FIELDS) {
      const model = asText(name === 'metadata' ? asMembers(holder[name])['model'] : holder[name]);
      if (model !== null) return model;
    }
  return null;
}

/** Returns a whole number; null = anything else. */
export function asWhole(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}
