import { describe, expect, test } from 'vitest';
import { listCards, localCall } from '../../../test/sessions/local-calls.ts';
import type { LocalCall } from '../../domain/sessions/local-call.ts';
import { type UsageBlock, buildBlocks, forecastBlock } from './blocks.ts';
import { priceCalls } from './model-use.ts';

const HOUR = 3_600_000;
const at = (time: string): number => Date.parse(`2026-11-20T${time}Z`);
const call = (time: string, more: Partial<LocalCall> = {}) => localCall(at(time), { input: 1_000 }, more);

function blocks(...calls: LocalCall[]): UsageBlock[] {
  return buildBlocks(priceCalls(calls, listCards));
}

function shown({ start, end, gapBefore, totals }: UsageBlock): unknown[] {
  return [
    new Date(start).toISOString().slice(11, 16),
    (end - start) / HOUR,
    gapBefore && gapBefore / HOUR,
    totals.calls,
  ];
}

describe('a block of five hours', () => {
  test('starts at the hour of its first use and includes uses before its end', () => {
    expect(blocks(call('09:40:00'), call('13:59:59.999')).map(shown)).toEqual([['09:00', 5, null, 2]]);
  });

  test('is followed by another block, which has its own first use', () => {
    expect(blocks(call('09:40:00'), call('14:00:00'), call('20:30:00')).map(shown)).toEqual([
      ['09:00', 5, null, 1],
      ['14:00', 5, 0, 1],
      ['20:00', 5, 1, 1],
    ]);
  });

  test('belongs to one assistant', () => {
    const both = blocks(call('09:00:00'), call('10:30:00', { source: 'codex', model: 'gpt-5' }), call('13:00:00'));
    expect(both.map((block) => ({ of: block.source, is: shown(block) }))).toEqual([
      { of: 'claude_code', is: ['09:00', 5, null, 2] },
      { of: 'codex', is: ['10:00', 5, null, 1] },
    ]);
  });
});

describe('the burn of a block', () => {
  const [open] = blocks(call('09:30:00'), call('10:00:00'));

  test('continues at the rate since the first use', () => {
    expect(open && forecastBlock(open, at('10:30:00'))).toEqual({
      left: 3.5 * HOUR,
      rate: { tokensPerMinute: 33, costPerHour: 10_000_000, projectedTokens: 9_000, projectedCost: 45_000_000 },
    });
  });

  test('is not shown too early, or for a past or future block', () => {
    expect(open && forecastBlock(open, at('09:31:00'))).toEqual({ left: 4 * HOUR + 29 * 60_000, rate: null });
    expect(open && [forecastBlock(open, at('14:00:00')), forecastBlock(open, at('08:59:59'))]).toEqual([null, null]);
  });

  test('has no cost if nothing has a price', () => {
    const [unknown] = blocks(call('09:30:00', { model: 'nobody-knows' }));
    expect(unknown && forecastBlock(unknown, at('10:30:00'))?.rate).toMatchObject({
      costPerHour: null,
      projectedCost: null,
    });
  });
});
