import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCalls, listCards, localCall } from '../../../test/sessions/local-calls.ts';
import type { LocalCall } from '../../domain/sessions/local-call.ts';
import { GROUPINGS } from './groups.ts';
import { buildLocalReport, type LocalReportOptions } from './local-report.ts';
import { readRange } from './time-range.ts';
import { reportCsv, reportJson } from './report-rows.ts';
import { priceCalls } from './model-use.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const WISH: LocalReportOptions = {
  by: 'daily',
  timeZone: 'Europe/Berlin',
  range: { since: null, until: null },
  plan: null,
  now: NOW,
};

function report(calls: readonly LocalCall[], wish: Partial<LocalReportOptions> = {}) {
  return buildLocalReport(priceCalls(calls, listCards), { ...WISH, ...wish });
}

const calls = [
  localCall('2026-11-18T23:30:00Z', { input: 1_000, output: 50, cacheRead: 2_000, cacheWrite1h: 300 }),
  localCall('2026-11-20T09:30:00Z', { input: 1 }, { sessionId: 'session-b', project: '=cmd()', model: 'nobody-knows' }),
];

describe('as JSON', () => {
  test('totals and rows have separate token classes, money in dollars and null for unknown', () => {
    expect(reportJson(report(calls))).toEqual({
      totals: {
        calls: 2,
        inputTokens: 1_001,
        outputTokens: 50,
        cacheReadTokens: 2_000,
        cacheCreationTokens: 300,
        cost: 0.01025,
        unpricedCalls: 1,
      },
      rows: [
        {
          date: '2026-11-19',
          calls: 1,
          inputTokens: 1_000,
          outputTokens: 50,
          cacheReadTokens: 2_000,
          cacheCreationTokens: 300,
          cost: 0.01025,
          unpricedCalls: 0,
          models: ['claude-opus-5'],
        },
        expect.objectContaining({ date: '2026-11-20', cost: null, unpricedCalls: 1, models: ['nobody-knows'] }),
      ],
    });
  });

  test.each([
    ['weekly', { week: '2026-W47', from: '2026-11-16', to: '2026-11-22' }],
    ['monthly', { month: '2026-11' }],
    ['session', { sessionId: 'session-a', source: 'claude_code', project: '/code/atlas' }],
    ['model', { model: 'claude-opus-5', source: 'claude_code' }],
    ['project', { project: '/code/atlas', sessions: 1, firstUse: '2026-11-18T23:30:00.000Z' }],
    ['blocks', { start: '2026-11-18T23:00:00.000Z', gapMinutes: null, active: false, minutesLeft: null }],
  ] as const)('the first row by %s', (by, expected) => {
    expect(reportJson(report(calls, { by })).rows[0]).toMatchObject(expected);
  });

  test('an active block has the time left and a forecast', () => {
    const open = [localCall('2026-11-20T09:30:00Z', { input: 3_000 })];
    expect(reportJson(report(open, { by: 'blocks' })).rows[0]).toMatchObject({
      active: true,
      minutesLeft: 120,
      tokensPerMinute: 20,
      costPerHour: 0.006,
      projectedTokens: 5_400,
      projectedCost: 0.027,
    });
  });

  test('a plan report says what it compares', () => {
    expect(
      reportJson(
        report(calls, { plan: 'pro', range: readRange('2026-11-01', '2026-11-30', { now: NOW, timeZone: 'UTC' }) }),
      ).savings,
    ).toEqual({
      plan: 'pro',
      usdPerMonth: 20,
      start: '2026-11-01T00:00:00.000Z',
      end: '2026-11-20T23:00:00.000Z',
      days: 19 + 23 / 24,
      planCost: 13.305555556,
      retailCost: 0.01025,
      savings: -13.295305556,
      ratio: expect.closeTo(0.00077, 5),
      status: 'Below Breakeven',
      breakEvenDay: null,
      unpricedCalls: 1,
    });
  });

  test('a plan without a range counts from the first day that used it until the end of today', () => {
    const { plan } = report(calls, { plan: 'pro' });
    expect(plan).toMatchObject({ days: 2, totals: { calls: 2 } });
    expect(report([], { plan: 'pro' }).plan).toMatchObject({ days: 1, status: 'No Usage' });
  });
});

test('a range limits what is counted and not where blocks start', () => {
  fc.assert(
    fc.property(anyCalls, fc.nat(300), (some, day) => {
      const since = Date.parse('2026-01-10T00:00:00Z') + day * 86_400_000 + 1;
      const range = { since, until: since + 30 * 86_400_000 };
      const inside = some.filter(({ at }) => at >= range.since && at < range.until);
      const expected = report(inside).totals;
      for (const by of [...GROUPINGS, 'blocks' as const]) {
        const { totals, groups, blocks } = report(some, { by, range });
        expect([totals.calls, totals.cost]).toEqual([expected.calls, expected.cost]);
        const parts = by === 'blocks' ? blocks : groups;
        expect(parts.reduce((sum, part) => sum + part.totals.calls, 0)).toBe(expected.calls);
      }
      const starts = new Set(report(some, { by: 'blocks' }).blocks.map(({ start }) => start));
      for (const { start } of report(some, { by: 'blocks', range }).blocks) expect(starts).toContain(start);
    }),
  );
});

test('a block that started before the range keeps its start', () => {
  const some = [localCall('2026-11-20T09:40:00Z'), localCall('2026-11-20T11:00:00Z')];
  const range = { since: Date.parse('2026-11-20T10:00:00Z'), until: null };
  const { blocks } = report(some, { by: 'blocks', range });
  expect(blocks.map(({ start, totals }) => [start, totals.calls])).toEqual([[Date.parse('2026-11-20T09:00:00Z'), 1]]);
});

test('a call of a clock before 1970 is not lost', () => {
  const { totals, groups } = report([localCall('1969-12-31T12:00:00Z'), ...calls]);
  expect([totals.calls, groups.length]).toEqual([3, 3]);
});

test('CSV names its columns, and no cell runs as a formula', () => {
  const [head, first, second, end] = reportCsv(report(calls, { by: 'session' })).split('\r\n');
  expect(head).toBe(
    'sessionId,source,project,firstUse,lastUse,calls,inputTokens,outputTokens,cacheReadTokens,cacheCreationTokens,cost,unpricedCalls,models',
  );
  expect(first).toMatch(/^session-a,claude_code,\/code\/atlas,.*,0\.01025,0,claude-opus-5$/);
  expect(second).toMatch(/^session-b,claude_code,'=cmd\(\),.*,,1,nobody-knows$/);
  expect(end).toBe('');
  expect(reportCsv(report([]))).toBe('');
});

test('missing prices are listed with their calls, the most frequent first', () => {
  const unknown = (model: string) => localCall(NOW, {}, { model, usage: { ...localCall(0).usage } });
  expect(report([unknown('one'), unknown('two'), unknown('two')]).unpriced).toEqual([
    ['There is no price for "two".', 2],
    ['There is no price for "one".', 1],
  ]);
});

describe('a range', () => {
  const UTC = { now: NOW, timeZone: 'UTC' };
  const iso = (at: number | null) => at && new Date(at).toISOString();

  test.each([
    ['2026-11-01', '2026-11-01', 'UTC', '2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z'],
    ['20260329', '20260329', 'Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['2026-11-01T12:00:00+01:00', undefined, 'UTC', '2026-11-01T11:00:00.000Z', null],
    [undefined, '2026-11-01T12:00Z', 'UTC', null, '2026-11-01T12:00:00.000Z'],
  ])('from %s until %s in %s', (since, until, zone, start, end) => {
    const range = readRange(since, until, { now: NOW, timeZone: zone });
    expect([iso(range.since), iso(range.until)]).toEqual([start, end]);
  });

  test.each(['someday', '2026-02-30', '', '2026-11-01T25:00:00Z'])('%j is not a range', (text) => {
    expect(() => readRange(text, undefined, UTC)).toThrow(/--since .* is not a valid time. Enter for example 7d/);
    expect(() => readRange(undefined, text, UTC)).toThrow(/--until .* is not a valid time/);
  });

  test('that ends before it starts is refused', () => {
    expect(() => readRange('2026-11-02', '2026-11-01', UTC)).toThrow(/--since is after --until/);
  });
});
