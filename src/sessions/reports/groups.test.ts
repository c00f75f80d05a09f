import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCalls, inference, listCards, localCall } from '../../../test/sessions/local-calls.ts';
import type { LocalCall } from '../../domain/sessions/local-call.ts';
import { addWhole, type WholeAmount } from '../../domain/money/money.ts';
import { priceUsage } from '../../domain/pricing/pricing.ts';
import { buildBlocks } from './blocks.ts';
import { GROUPINGS, type UsageGrouping, groupUses } from './groups.ts';
import { type LocalTotals, priceCalls, sumUses } from './model-use.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Auckland'];

function group(calls: readonly LocalCall[], by: UsageGrouping, zone = 'UTC') {
  return groupUses(priceCalls(calls, listCards), by, zone);
}

function plain({
  calls,
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheCreationTokens,
  cost,
  unpricedCalls,
}: LocalTotals) {
  return { calls, inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, cost, unpricedCalls };
}

function added(parts: readonly LocalTotals[]) {
  const sum = (read: (totals: LocalTotals) => number): number => parts.reduce((total, part) => total + read(part), 0);
  const costs = parts.flatMap(({ cost }) => cost ?? []);
  return {
    calls: sum(({ calls }) => calls),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    cacheReadTokens: sum(({ cacheReadTokens }) => cacheReadTokens),
    cacheCreationTokens: sum(({ cacheCreationTokens }) => cacheCreationTokens),
    cost:
      parts.length > 0 && costs.length === 0
        ? null
        : costs.reduce<WholeAmount>((total, cost) => addWhole(total, cost), 0),
    unpricedCalls: sum(({ unpricedCalls }) => unpricedCalls),
  };
}

test('every grouping has the same total to the nano-dollar, in whatever order the calls come', () => {
  fc.assert(
    fc.property(anyCalls, fc.constantFrom(...ZONES), (calls, zone) => {
      const total = plain(sumUses(priceCalls(calls, listCards)));
      for (const by of GROUPINGS) {
        const groups = group(calls, by, zone);
        expect(added(groups.map(({ totals }) => totals)), by).toEqual(total);
        expect(new Set(group(calls.toReversed(), by, zone).map((each) => each.totals.cost))).toEqual(
          new Set(groups.map((each) => each.totals.cost)),
        );
      }
      expect(added(buildBlocks(priceCalls(calls, listCards)).map(({ totals }) => totals))).toEqual(total);
    }),
  );
});

test('the total is the sum of the calls, each priced and rounded by itself', () => {
  fc.assert(
    fc.property(anyCalls, (calls) => {
      const priced = calls.map(({ source, usage, model, at }) =>
        priceUsage(usage, model, (name) => listCards(source === 'codex' ? 'openai' : 'anthropic', name, at)),
      );
      const costs = priced.flatMap(({ cost }) => cost ?? []);
      const { cost, calls: number, unpricedCalls } = sumUses(priceCalls(calls, listCards));
      expect(number).toBe(calls.length);
      expect(unpricedCalls).toBe(calls.length - costs.length);
      if (costs.length > 0 || calls.length === 0) expect(cost).toBe(costs.reduce((sum, each) => sum + each, 0));
      else expect(cost).toBeNull();
    }),
  );
});

describe('periods', () => {
  test('are days, weeks from Monday and months of the time zone', () => {
    const calls = [localCall('2026-11-15T23:30:00Z'), localCall('2026-11-30T23:30:00Z')];
    const starts = (by: UsageGrouping, zone: string) =>
      group(calls, by, zone).map(({ period }) => new Date(period?.start ?? 0).toISOString().slice(0, 16));
    expect(starts('daily', 'UTC')).toEqual(['2026-11-15T00:00', '2026-11-30T00:00']);
    expect(starts('daily', 'Europe/Berlin')).toEqual(['2026-11-15T23:00', '2026-11-30T23:00']);
    expect(starts('weekly', 'UTC')).toEqual(['2026-11-09T00:00', '2026-11-30T00:00']);
    expect(starts('weekly', 'Europe/Berlin')).toEqual(['2026-11-15T23:00', '2026-11-29T23:00']);
    expect(starts('monthly', 'UTC')).toEqual(['2026-11-01T00:00']);
    expect(starts('monthly', 'Europe/Berlin')).toEqual(['2026-10-31T23:00', '2026-11-30T23:00']);
  });

  test.each([
    ['the hour that comes twice belongs to its day', '2026-10-25', ['2026-10-24T22:00:00Z', '2026-10-25T22:59:59Z']],
    ['a day without its hour is shorter', '2026-03-29', ['2026-03-28T23:00:00Z', '2026-03-29T21:59:59Z']],
  ])('%s', (_, __, inside) => {
    const [from = '', until = ''] = inside;
    const calls = [Date.parse(from) - 1, from, until, Date.parse(until) + 1_000].map((at) => localCall(at));
    expect(group(calls, 'daily', 'Europe/Berlin').map(({ totals }) => totals.calls)).toEqual([1, 2, 1]);
  });
});

describe('sessions, projects and models', () => {
  const calls = [
    localCall('2026-11-01T10:00:00Z', { input: 10 }, { sessionId: 'b', project: null }),
    localCall('2026-11-01T09:00:00Z', { input: 1_000 }, { sessionId: 'a', model: 'claude-haiku-4-5' }),
    localCall('2026-11-02T09:00:00Z', { input: 1_000 }, { sessionId: 'a' }),
    localCall('2026-11-01T11:00:00Z', { input: 10 }, { source: 'codex', sessionId: 'b', model: 'gpt-5' }),
  ];

  test('a session belongs to one assistant, and sessions are sorted by last use', () => {
    expect(group(calls, 'session').map(({ source, sessionId, totals }) => [source, sessionId, totals.calls])).toEqual([
      ['claude_code', 'b', 1],
      ['codex', 'b', 1],
      ['claude_code', 'a', 2],
    ]);
  });

  test('projects and models are sorted by cost, and a group lists its models, the most expensive first', () => {
    expect(group(calls, 'project').map(({ project, sessions }) => [project, sessions])).toEqual([
      ['/code/atlas', 2],
      [null, 1],
    ]);
    expect(group(calls, 'model').map(({ model }) => model)).toEqual(['claude-opus-5', 'claude-haiku-4-5', 'gpt-5']);
    expect(group(calls, 'monthly')[0]?.models).toEqual(['claude-opus-5', 'claude-haiku-4-5', 'gpt-5']);
  });

  test('an advisor has its own tokens and cost, and its call counts once', () => {
    const usage = {
      ...localCall(0).usage,
      inferences: [inference({ input: 100 }), inference({ output: 7 }, 'claude-haiku-4-5')],
    };
    const models = group([localCall('2026-11-01T10:00:00Z', {}, { usage })], 'model');
    expect(models.map(({ model, totals }) => [model, totals.calls, totals.cost])).toEqual([
      ['claude-opus-5', 1, 500_000],
      ['claude-haiku-4-5', 0, 35_000],
    ]);
  });

  test('usage without a price is unknown and counted, never free', () => {
    const unknown = localCall('2026-11-01T10:00:00Z', { input: 5 }, { model: 'nobody-knows' });
    const [known, not] = group([unknown, ...calls.slice(2, 3)], 'model');
    expect(known?.totals).toMatchObject({ cost: 5_000_000, unpricedCalls: 0 });
    expect(not?.totals).toMatchObject({ cost: null, unpricedCalls: 1, inputTokens: 5 });
    expect(priceCalls([unknown], listCards)[0]?.missing).toBe('There is no price for "nobody-knows".');
  });
});
