import type { RouteRequest } from '../../../../src/contract/routes.ts';
import { OTHER_VALUES, splitValue } from '../chart/stack.ts';
import { joinValues, splitValues } from '../filter/parameter-values.ts';
import {
  FILTER_FIELDS,
  type FilterField,
  findChoice,
  notField,
  type NotField,
  type UsageFilter,
} from '../filter/usage-filter.ts';
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

/** Separates the two dimensions of a pair: `model,key`. */
const PAIR = ',';

/** Joins a dimension with a second one, for usage of each pair of values; undefined = no second one. */
export function pairDimensions(first: string, second: string | undefined): string {
  return second === undefined || second === first ? first : `${first}${PAIR}${second}`;
}

/** Splits a pair of dimensions. A tag may have the separator in its name, a second dimension has none. */
export function splitDimensions(dimension: string): readonly [first: string, second: string | undefined] {
  const at = dimension.lastIndexOf(PAIR);
  const second = findChoice(DIMENSIONS, at === -1 ? undefined : dimension.slice(at + 1));
  return second === undefined ? [dimension, undefined] : [dimension.slice(0, at), second];
}

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
  const [first, second] = splitDimensions(dimension);
  if (second !== undefined) return `${dimensionName(first)} and ${dimensionName(second)}`;
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

export type FieldFilter = Readonly<Partial<Record<FilterField | NotField, string | undefined>>>;

type DimensionQuery = Pick<NonNullable<RouteRequest<'GET /api/mcp/usage/series'>['query']>, 'by' | 'tagKey' | 'and'>;

/** Query parameters of the series endpoint. */
export function dimensionQuery(dimension: string): DimensionQuery {
  const [first, second] = splitDimensions(dimension);
  const and = findChoice(DIMENSIONS, second);
  if (and !== undefined) return { ...dimensionQuery(first), and };
  const tagKey = readTagKey(dimension);
  return tagKey === null ? { by: findChoice(DIMENSIONS, dimension) ?? DIMENSIONS[0] } : { by: 'tag', tagKey };
}

/**
 * Returns the filter for one value; null = no filter selects it, because one of a pair is missing.
 * @param within the filter so far; its tags with other keys stay
 */
export function filterFor(dimension: string, value: string, within: UsageFilter = {}): FieldFilter | null {
  const [outer, inner] = splitDimensions(dimension);
  if (inner !== undefined) {
    const [first, second] = splitValue(value);
    if (first === null || second === null) return null;
    return { ...filterFor(outer, first, within), ...filterFor(inner, second, within) };
  }
  const tagKey = readTagKey(dimension);
  if (dimension === 'request_class') return { requestClass: value };
  if (tagKey === null) return { [dimension]: value };
  const others = splitValues(within.tag).filter((tag) => !tag.startsWith(`${tagKey}=`));
  return { tag: joinValues([...others, `${tagKey}=${value}`]) };
}

/** Returns the filter that leaves out one value as well; null = no filter does. */
export function filterOut(dimension: string, value: string, within: UsageFilter): FieldFilter | null {
  if (splitDimensions(dimension)[1] !== undefined) return null;
  const [[field, text] = []] = Object.entries(filterFor(dimension, value) ?? {});
  const known = FILTER_FIELDS.find((each) => each === field);
  if (known === undefined || text === undefined) return null;
  const name = notField(known);
  return { [name]: joinValues([...splitValues(within[name]), text]) };
}

const ALL_OTHERS = 'All others';

/** Returns the display name of a value. */
export function valueName(dimension: string, value: string | null, keyNames: ReadonlyMap<string, string>): string {
  if (value === OTHER_VALUES) return ALL_OTHERS;
  return valueNames(dimension, value, keyNames).join(' · ');
}

/** Returns a name for each dimension of a pair. */
export function valueNames(
  dimension: string,
  value: string | null,
  keyNames: ReadonlyMap<string, string>,
): readonly string[] {
  const [first, second] = splitDimensions(dimension);
  if (second === undefined) return [singleName(first, value === null ? null : splitValue(value)[0], keyNames)];
  const [one, other] = value === OTHER_VALUES ? [value, value] : splitValue(value);
  return [singleName(first, one, keyNames), singleName(second, other, keyNames)];
}

function singleName(dimension: string, value: string | null, keyNames: ReadonlyMap<string, string>): string {
  if (value === OTHER_VALUES) return ALL_OTHERS;
  if (value === null) return noValueName(dimension);
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
