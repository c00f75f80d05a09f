import { expect, test } from 'vitest';
import { parseSearch, stringifySearch } from './address.ts';
import { joinValues, splitValues } from './parameter-values.ts';
import { readUsageFilter } from './usage-filter.ts';

test('a filter survives the round trip through the address, whatever its values', () => {
  const filter = { range: '7d', model: 'a&b=c #?%', tag: 'team=<img src=x onerror=alert(1)>', key: '1e3' } as const;
  expect(readUsageFilter(parseSearch(stringifySearch(filter)))).toEqual(filter);
});

test('several values and left out values are repeated parameters of the address', () => {
  const filter = { model: joinValues(['a,b', 'c&d']) ?? '', notTag: joinValues(['team=a', 'team=b']) ?? '' };
  const address = stringifySearch(filter);
  expect(address).toBe('?model=a%2Cb&model=c%26d&notTag=team%3Da&notTag=team%3Db');
  expect(readUsageFilter(parseSearch(address))).toEqual(filter);
  expect(splitValues(filter.model)).toEqual(['a,b', 'c&d']);
});

test('invalid search parameters are ignored', () => {
  expect(readUsageFilter(parseSearch('?range=ever&from=2026-02-31x&to=soon&model=&unknown=1'))).toEqual({});
});

test('two days are the first and last of a period, in either order', () => {
  const days = { from: '2026-11-01', to: '2026-11-22' };
  expect(readUsageFilter(parseSearch('?from=2026-11-22&to=2026-11-01'))).toEqual(days);
  expect(readUsageFilter(parseSearch('?from=2026-11-01&to=2026-11-22'))).toEqual(days);
  expect(readUsageFilter(parseSearch('?to=2026-11-22'))).toEqual({});
});
