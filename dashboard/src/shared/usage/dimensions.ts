import type { RouteRequest } from '../../../../src/contract/routes.ts';
import { OTHER_VALUES } from '../chart/stack.ts';
import { type FilterField, findChoice } from '../filter/usage-filter.ts';
import { sourceName } from '../names/display-names.ts';

/** Dimensions to group usage by. A tag is written `tag:team`. */
export const DIMENSIONS = [
  'model',
  'provider',
  'key',
  'source',
  'status',
  'session',
  'agent',
  'run',
  'request_class',
] as const;

export const DIMENSION_NAMES: Readonly<Record<(typeof DIMENSIONS)[number], string>> = {
  model: 'Model',
  provider: 'Provider',
  key: 'Key',
  source: 'Source',
  status: 'Status',
  session: 'Session',
  agent: 'Agent',
  run: 'Run',
  request_class: 'Request class',
};

const TAG = /^tag:(.{1,64})$/;

/** Reads a dimension from a search parameter; the first one if it is invalid. */
export function readDimension(text: string | undefined): string {
  return findChoice(DIMENSIONS, text) ?? (text !== undefined && TAG.test(text) ? text : DIMENSIONS[0]);
}

/** Returns the key of a tag dimension; null = not a tag. */
export function readTagKey(dimension: string): string | null {
  return TAG.exec(dimension)?.[1] ?? null;
}

/** Name of a dimension within a sentence: `model`, `tag team`. */
export function dimensionName(dimension: string): string {
  const tagKey = readTagKey(dimension);
  if (tagKey !== null) return `tag ${tagKey}`;
  return (
    Object.entries(DIMENSION_NAMES)
      .find(([each]) => each === dimension)?.[1]
      .toLowerCase() ?? dimension
  );
}

/** Name of a dimension as a heading: `Model`, `Tag team`. */
export function dimensionTitle(dimension: string): string {
  const name = dimensionName(dimension);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

type DimensionQuery = Pick<NonNullable<RouteRequest<'GET /api/mcp/usage/series'>['query']>, 'by' | 'tagKey'>;

/** Query parameters of the series endpoint. */
export function dimensionQuery(dimension: string): DimensionQuery {
  const tagKey = readTagKey(dimension);
  return tagKey === null ? { by: findChoice(DIMENSIONS, dimension) ?? DIMENSIONS[0] } : { by: 'tag', tagKey };
}

/** Returns the filter for one value. */
export function filterFor(dimension: string, value: string): Readonly<Partial<Record<FilterField, string>>> {
  const tagKey = readTagKey(dimension);
  if (dimension === 'request_class') return { requestClass: value };
  return tagKey === null ? { [dimension]: value } : { tag: `${tagKey}=${value}` };
}

/** Returns the display name of a value. */
export function valueName(dimension: string, value: string | null, keyNames: ReadonlyMap<string, string>): string {
  if (value === null) return noValueName(dimension);
  if (value === OTHER_VALUES) return 'All others';
  if (dimension === 'key') return keyNames.get(value) ?? value;
  if (dimension === 'source') return sourceName(value);
  if (dimension === 'status' && value === '0') return 'No response';
  return value;
}

const NO_VALUE_NAMES: Readonly<Record<string, string>> = {
  key: 'No key',
  session: 'No session',
  agent: 'Main agent or none',
  run: 'No run',
  request_class: 'No class',
};

/** Names usage without a value: reports and sessions have no key and no tag. */
function noValueName(dimension: string): string {
  if (readTagKey(dimension) !== null) return 'No tag';
  return NO_VALUE_NAMES[dimension] ?? 'Unknown';
}
