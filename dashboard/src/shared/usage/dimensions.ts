import { OTHER_VALUES } from '../chart/stack.ts';
import { type FilterField, findChoice } from '../filter/usage-filter.ts';
import { sourceName } from '../names/display-names.ts';

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

/** A value of a dimension as people know it. */
export function valueName(dimension: string, value: string | null, keyNames: ReadonlyMap<string, string>): string {
  if (value === null) return noValueName(dimension);
  if (value === OTHER_VALUES) return 'all others';
  if (dimension === 'key') return keyNames.get(value) ?? value;
  if (dimension === 'source') return sourceName(value);
  if (dimension === 'status' && value === '0') return 'no answer';
  return value;
}

/** Usage of reports and sessions passes no key and carries no tag. */
function noValueName(dimension: string): string {
  if (readTagKey(dimension) !== null) return 'without the tag';
  return dimension === 'key' ? 'without a key' : 'not known';
}
