import { expect, test } from 'vitest';
import { changeRows, knownChange } from './change-rows.ts';

const NOTHING = { before: 0, after: 0, difference: 0, callsBefore: 0, callsAfter: 0 };

test('a change from or to usage without a price is unknown, not a change from or to 0', () => {
  const parts = [
    { ...NOTHING, value: 'new', name: 'new', callsAfter: 2, unpricedAfter: 2 },
    { ...NOTHING, value: 'mixed', name: 'mixed', after: 3, difference: 3, unpricedAfter: 1 },
    { ...NOTHING, value: 'uncounted', name: 'uncounted', unpricedUsageAfter: true },
    { ...NOTHING, value: 'old', name: 'old', before: 1, difference: -1 },
  ];
  const rows = changeRows({ by: 'model', tagKey: null, parts, other: { ...NOTHING, values: 2, unpricedBefore: 4 } });
  expect(rows.map((row) => [row.name, knownChange(row)])).toEqual([
    ['new', null],
    ['mixed', 3],
    ['uncounted', null],
    ['old', -1],
    ['2 others', null],
  ]);
});
