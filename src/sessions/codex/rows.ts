import { type CounterRow, EVENTS, KINDS, MODEL_FIELDS, RolloutRowWalk } from './row-walk.ts';

export type RowFields = Readonly<Record<string, unknown>>;

/** A row of a rollout: the fields that are looked at, none of them sure. */
export interface RolloutRow {
  readonly timestamp?: unknown;
  readonly ordinal?: unknown;
  readonly type?: unknown;
  readonly payload?: unknown;
}

/** What a row of interest has somewhere, however it is written. */
const MARKS = [...KINDS, ...EVENTS];
/** Remembers nothing but the row at hand. */
const WALK = new RolloutRowWalk();

/** Whether a row may tell of usage, judged by its first bytes; null = they don't say. */
export function isOfInterest(bytes: Buffer): boolean | null {
  return WALK.isOfInterest(bytes, 0, bytes.length);
}

/** Reads one line, if it may tell of usage. A torn line is none. */
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

/** The fields of an object; nothing else has any. */
export function asFields(value: unknown): RowFields {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The model that a payload, or what is inside it, names. */
export function findModelName(...holders: readonly RowFields[]): string | null {
  for (const holder of holders)
    for (const name of MODEL_FIELDS) {
      const model = asText(name === 'metadata' ? asFields(holder[name])['model'] : holder[name]);
      if (model !== null) return model;
    }
  return null;
}

export function asWhole(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}

/** Epoch ms. */
export function asTime(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}
