import { findChoice, type FilterField } from '../filter/usage-filter.ts';

/** What usage can be told apart by. A tag is written `tag:team`. */
export const DIMENSIONS = ['model', 'provider', 'key', 'source', 'status'] as const;

export const DIMENSION_NAMES: Readonly<Record<(typeof DIMENSIONS)[number], string>> = {
  model: 'Model',
  provider: 'Provider',
  key: 'Key',
  source: 'Source',
  status: 'Status',
};

const TAG = /^tag:(.{1,64})$/;

/** A dimension as it stands in an address, or the first one. */
export function readDimension(text: string | undefined): string {
  return findChoice(DIMENSIONS, text) ?? (text !== undefined && TAG.test(text) ? text : DIMENSIONS[0]);
}

/** Key of the tag that usage is told apart by; null = it is by something else. */
export function readTagKey(dimension: string): string | null {
  return TAG.exec(dimension)?.[1] ?? null;
}

/** As the series endpoint takes it. */
export function dimensionQuery(dimension: string): { by: string; tagKey?: string } {
  const tagKey = readTagKey(dimension);
  return tagKey === null ? { by: dimension } : { by: 'tag', tagKey };
}

/** The filter that shows one value alone. */
export function filterFor(dimension: string, value: string): Readonly<Partial<Record<FilterField, string>>> {
  const tagKey = readTagKey(dimension);
  return tagKey === null ? { [dimension]: value } : { tag: `${tagKey}=${value}` };
}
