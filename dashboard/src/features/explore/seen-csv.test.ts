import { expect, test } from 'vitest';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { chartCsv, tableCsv } from './seen-csv.ts';

const TOKENS = { inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, outputTokens: 4, failedCalls: 0 };
const START = '2026-11-01T00:00:00.000Z';
const END = '2026-11-03T00:00:00.000Z';
const DAYS = [START, '2026-11-02T00:00:00.000Z'];

const SERIES: UsageSeries = {
  period: { start: START, end: END },
  step: 'day',
  timeZone: 'UTC',
  by: 'model',
  starts: DAYS,
  points: [
    { start: DAYS[1] ?? '', value: '=HYPERLINK("x")', and: 'key_1', calls: 2, cost: 1.5, ...TOKENS },
    { start: START, value: 'm', and: null, calls: 1, cost: 0, unpricedCalls: 1, ...TOKENS },
  ],
};
const seen = { series: SERIES, dimension: 'model,key', keyNames: new Map([['key_1', 'Coding, agents']]) };

test('the table has a column for each dimension, and an unknown cost is empty', () => {
  expect(tableCsv(seen).split('\r\n')).toEqual([
    'Model,Key,Cost (USD),Calls,Tokens,Failed,Uncertain,Calls without a price',
    `"'=HYPERLINK(""x"")","Coding, agents",1.5,2,10,0,0,0`,
    'm,No key,,1,10,0,0,1',
    '',
  ]);
});

test('the chart has a row for each time and value, oldest first', () => {
  const [, first, second] = chartCsv(seen).split('\r\n');
  expect([first, second]).toEqual([
    `${START},m,No key,,1,10`,
    `${DAYS[1]},"'=HYPERLINK(""x"")","Coding, agents",1.5,2,10`,
  ]);
});
