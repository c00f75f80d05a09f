import type { z } from 'zod';
import type { filterQuery } from '../../contract/routes/usage.ts';
import { parseTag } from '../../domain/usage/tags.ts';
import { FILTER_FIELDS, type SeriesFilter, type ValueMatch } from '../../storage/usage-queries.ts';

type FilterQuery = z.output<typeof filterQuery>;

export function readFilter(query: FilterQuery): SeriesFilter {
  const single = FILTER_FIELDS.flatMap((field) => {
    const [value, ...others] = listParameterValues(query[field]);
    return value === undefined || others.length > 0 ? [] : [[field, value] as const];
  });
  const [tag, ...otherTags] = listParameterValues(query.tag);
  const matches = readMatches(query);
  return {
    ...(Object.fromEntries(single) as SeriesFilter),
    ...(tag !== undefined && otherTags.length === 0 && { tag: parseTag(tag) }),
    ...(matches.length > 0 && { matches }),
  };
}

/** Reads fields with several values, and values that are left out. */
function readMatches(query: FilterQuery): readonly ValueMatch[] {
  const anyOf = FILTER_FIELDS.map((of) => ({ of, values: listParameterValues(query[of]), isNot: false }));
  const noneOf = FILTER_FIELDS.map((of) => ({ of, values: listParameterValues(query[notParameter(of)]), isNot: true }));
  return [
    ...anyOf.filter(({ values }) => values.length > 1),
    ...noneOf.filter(({ values }) => values.length > 0),
    ...(listParameterValues(query.tag).length > 1 ? tagMatches(query.tag, false) : []),
    ...tagMatches(query.notTag, true),
  ];
}

/** Groups tags by key: an entry has one of the values of each key. */
function tagMatches(given: FilterQuery['tag'], isNot: boolean): readonly ValueMatch[] {
  const byKey = Map.groupBy(listParameterValues(given).map(parseTag), ({ key }) => key);
  return [...byKey].map(([tagKey, tags]) => ({ of: { tagKey }, values: tags.map(({ value }) => value), isNot }));
}

function notParameter<Field extends (typeof FILTER_FIELDS)[number]>(field: Field) {
  return `not${field.charAt(0).toUpperCase()}${field.slice(1)}` as `not${Capitalize<Field>}`;
}

function listParameterValues<Value extends string | number>(
  given: Value | readonly Value[] | undefined,
): readonly Value[] {
  if (given === undefined) return [];
  return typeof given === 'object' ? given : [given];
}
