import type { UsageSeries } from '../../../../src/api/contract.ts';
import { useRead } from '../api/use-read.ts';
import { useKeyNames } from '../names/use-key-names.ts';
import type { FilterField, UsageFilter } from './usage-filter.ts';
import { useUsageQuery } from './use-usage-query.ts';

interface FilterValue {
  readonly value: string;
  /** As people know it. */
  readonly name: string;
}

const VALUES_MAX = 100;

/** The values that a field has in the period that is looked at, dearest first; a tag is typed. */
export function useFilterValues(field: FilterField, filter: UsageFilter): readonly FilterValue[] {
  const keyNames = useKeyNames();
  const { range, from, to } = filter;
  const period = { ...(range && { range }), ...(from && { from }), ...(to && { to }) };
  const usage = useUsageQuery(period);
  const { data } = useRead<UsageSeries>('/api/mcp/usage/series', {
    query: { ...usage, by: field, step: 'month', limit: VALUES_MAX },
    enabled: field !== 'tag',
  });
  if (field === 'tag') return [];
  const values = new Set(data?.points.flatMap(({ value }) => (value === null || value === '(other)' ? [] : [value])));
  return [...values].map((value) => ({ value, name: (field === 'key' && keyNames.get(value)) || value }));
}
