import type { UsageValues } from '../../../../src/contract/values.ts';
import { useRead } from '../api/use-read.ts';
import { sourceName } from '../names/source-names.ts';
import type { FilterField, UsageFilter } from './usage-filter.ts';
import { useUsageQuery } from './use-usage-query.ts';

interface FilterValue {
  readonly value: string;
  /** As people know it. */
  readonly name: string;
}

/** The values that a field has in the period that is looked at, dearest first; of tags, the beginnings. */
export function useFilterValues(field: FilterField, { range, from, to }: UsageFilter): readonly FilterValue[] {
  const period = useUsageQuery({ ...(range && { range }), ...(from && { from }), ...(to && { to }) });
  const { data } = useRead<UsageValues>('/api/mcp/usage/values', { query: period });
  return data ? listFieldValues(data, field) : [];
}

function listFieldValues(values: UsageValues, field: FilterField): readonly FilterValue[] {
  switch (field) {
    case 'provider':
      return values.providers.map(toFilterValue);
    case 'model':
      return values.models.map(toFilterValue);
    case 'key':
      return values.keys;
    case 'source':
      return values.sources.map(({ value }) => ({ value, name: sourceName(value) }));
    case 'status':
      return values.statuses.map(toFilterValue);
    case 'tag':
      return values.tagKeys.map((key) => toFilterValue({ value: `${key}=` }));
  }
}

function toFilterValue({ value }: { readonly value: string }): FilterValue {
  return { value, name: value };
}
