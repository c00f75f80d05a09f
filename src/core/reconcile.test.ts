import { expect, test } from 'vitest';
import type { RateCard } from './price.ts';
import { type GateCell, type Organization, reconcile } from './reconcile.ts';
import type { ReportedPart } from './residual.ts';

const DAY = Date.UTC(2026, 10, 1);
const CARD: RateCard = {
  provider: 'acme',
  model: 'one',
  from: null,
  until: null,
  tiers: [{ above: -1, rates: { input: 1_000, output: 1_333 } }],
  speeds: {},
  tierMultipliers: { batch: { num: 1, den: 2 } },
  geoMultipliers: {},
  fees: {},
  contextWindow: null,
  version: 'acme/one#1',
  source: 'test',
};
const part = (input: number, changes: Partial<ReportedPart> = {}): ReportedPart => ({
  tier: null,
  context: '0-200k',
  geo: null,
  speed: null,
  amounts: { input },
  requests: null,
  ...changes,
});
const gate = (changes: Partial<GateCell['totals']> = {}, heldId = 'pk_1', model = 'one'): GateCell => ({
  day: DAY,
  heldId,
  model,
  totals: {
    calls: 1,
    failedCalls: 0,
    cost: BigInt(changes.inputTokens ?? 0),
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    uncertainUpTo: 0n,
    ...changes,
  },
});
const reported = (rows: readonly ReportedPart[], key: string | null = 'wrapped', model = 'one') => [
  { day: DAY, key, model, rows },
];
const asked = (changes: Partial<Organization>) =>
  reconcile({
    reported: [],
    gate: [],
    matches: new Map([
      ['wrapped', { is: 'one', heldIds: ['pk_1', 'pk_2'] }],
      ['direct', { is: 'none' }],
    ]),
    closedBefore: DAY + 1,
    nameOf: (model) => model.replace(/-\d+$/, ''),
    resolve: (model) => (model === 'one' ? CARD : null),
    ...changes,
  });

test('where everything passed the gate nothing differs, however models are spelled and whoever stored the key', () => {
  const { lines, coverage, apart } = asked({
    reported: reported([part(1_000)], 'wrapped', 'one-20260101'),
    gate: [gate({ inputTokens: 400 }), gate({ inputTokens: 600 }, 'pk_2')],
  });
  expect(lines).toMatchObject([{ key: 'wrapped', model: 'one', difference: 0n, reasons: [], unexplained: 0n }]);
  expect(coverage).toEqual({ passed: 1_000n, unclear: 0n, total: 1_000n });
  expect(apart).toEqual([]);
});

test('use beside the gate is named, of keys never wrapped and of wrapped ones, batches at their price', () => {
  const { lines, coverage } = asked({
    reported: [...reported([part(1_000), part(500, { tier: 'batch' })]), ...reported([part(250)], 'direct')],
    gate: [gate({ inputTokens: 900 })],
  });
  expect(lines).toMatchObject([
    { reasons: [{ reason: 'not_through_the_gate', amount: 350n }], unexplained: 0n },
    { key: 'direct', reasons: [{ reason: 'not_through_the_gate', amount: 250n }], unexplained: 0n },
  ]);
  expect(coverage).toEqual({ passed: 900n, unclear: 0n, total: 1_500n });
});

test('calls that lost their answer explain as much as their bound, and no more', () => {
  const lost = gate({ calls: 3, inputTokens: 900, uncertainUpTo: 60n });
  expect(asked({ reported: reported([part(940)]), gate: [lost] }).lines[0]).toMatchObject({
    reasons: [{ reason: 'uncertain_calls', amount: 40n }],
    unexplained: 0n,
  });
  expect(asked({ reported: reported([part(1_000)]), gate: [lost] }).lines[0]?.reasons).toEqual([
    { reason: 'uncertain_calls', amount: 60n },
    { reason: 'not_through_the_gate', amount: 40n },
  ]);
});

test('half a nano-dollar a call is rounding; more is unexplained and stays to be seen', () => {
  const rows = [part(0, { amounts: { output: 100 } })];
  const booked = (cost: bigint) =>
    asked({ reported: reported(rows), gate: [gate({ calls: 10, outputTokens: 100, cost })] }).lines[0];
  expect(booked(130n)).toMatchObject({ reasons: [{ reason: 'rounding', amount: 3n }], unexplained: 0n });
  expect(booked(150n)).toMatchObject({ difference: -17n, reasons: [], unexplained: -17n });
});

test('what the gate booked and the report does not hold is unexplained', () => {
  expect(asked({ gate: [gate({ inputTokens: 500 })] }).lines).toMatchObject([
    { providerCost: 0n, difference: -500n, reasons: [], unexplained: -500n },
  ]);
});

test('an open day settles and counts for no coverage', () => {
  const { lines, coverage } = asked({ reported: reported([part(10)]), gate: [gate()], closedBefore: DAY });
  expect(lines).toMatchObject([{ reasons: [{ reason: 'settling', amount: 10n }], unexplained: 0n }]);
  expect(coverage.total).toBe(0n);
});

test('keys that can’t be told apart are neither through the gate nor beside it; the gate’s own are listed apart', () => {
  const { lines, coverage, apart } = asked({
    reported: reported([part(10)]),
    gate: [gate({ inputTokens: 10 })],
    matches: new Map([['wrapped', { is: 'unknown' }]]),
  });
  expect(lines).toMatchObject([{ book: { calls: 0 }, reasons: [{ reason: 'key_unknown', amount: 10n }] }]);
  expect(coverage).toEqual({ passed: 0n, unclear: 10n, total: 10n });
  expect(apart).toHaveLength(1);
});

test('without a price nothing is said to match', () => {
  const { lines } = asked({ reported: reported([part(10)], 'direct', 'two') });
  expect(lines).toMatchObject([{ providerCost: null, difference: null, unexplained: null, reasons: [] }]);
  expect(lines[0]?.missing).toContain('two');
});
