import { expect, test } from 'vitest';
import { overrunAlert, readOverrun, presumedAlert } from './alerts.ts';
import {
  sampleBudget,
  sampleCallEnd,
  sampleNeed,
  NOON,
  SampleEngine,
  sampleSubject,
} from './contract/sample-limits.ts';
import { Hold } from './hold.ts';
import { ModelOverruns, scaleAmounts } from './overruns.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';

const hold = {
  need: sampleNeed(100, 50, 40),
  subject: sampleSubject(),
  presumed: false,
  ratio: 1,
  usdRatio: 1,
  hasOpenPrice: false,
};
const model = sampleSubject();
const dear = (usd: number, callId = 'call') => sampleCallEnd(usd, { callId, counted: sampleNeed(usd, 50, 40) });

test('the largest ratio seen applies until a person acknowledges it', () => {
  const overruns = new ModelOverruns();
  expect(overruns.note(hold, dear(100))).toBeNull();
  expect(overruns.note(hold, sampleCallEnd(120, { counted: sampleNeed(120, 50, 80) }))).toMatchObject({ ratio: 2 });
  expect(overruns.note(hold, dear(110))).toMatchObject({ ratio: 2 });
  expect(overruns.ratio(model)).toBe(2);
  overruns.acknowledge(model);
  expect(overruns.ratio(model)).toBe(1);
});

test('the ratio of one unit applies to all, because the next call may consist of that unit alone', () => {
  const overruns = new ModelOverruns();
  const bound = sampleNeed(20_600_000, 120, 4_096);
  const end = sampleCallEnd(7_500_000, { counted: sampleNeed(7_500_000, 6_000, 300) });
  expect(overruns.note({ ...hold, need: bound }, end)).toMatchObject({ ratio: 50 });
  expect(scaleAmounts(bound, overruns.ratio(model))).toEqual(sampleNeed(1_030_000_000, 6_000, 204_800));
  // At $1 a million, a prompt of 120 bytes that asks for no answer comes to what its scaled bound has.
  expect(scaleAmounts(sampleNeed(120_000, 120, 0), overruns.ratio(model)).usd).toBe(6_000_000);
});

test('an overrun of a scaled hold raises the ratio of the cost bound', () => {
  const overruns = new ModelOverruns();
  overruns.note(hold, dear(150));
  overruns.note({ ...hold, need: sampleNeed(150, 75, 60), ratio: 1.5, usdRatio: 1.5 }, dear(300));
  expect(overruns.ratio(model)).toBe(3);
});

test('a ratio applies to its workspace and model only', () => {
  const overruns = new ModelOverruns();
  overruns.note(hold, dear(150));
  expect(overruns.ratio(sampleSubject({ workspaceId: 'ws_b' }))).toBe(1);
  expect(overruns.ratio(sampleSubject({ model: 'claude-haiku-4-5', pricedModel: 'claude-haiku-4-5' }))).toBe(1);
});

test('an assumed cost, a missing price or a call that was not sent is no overrun', () => {
  const overruns = new ModelOverruns();
  expect(overruns.note({ ...hold, presumed: true }, sampleCallEnd(120))).toBeNull();
  expect(overruns.note({ ...hold, need: sampleNeed(null, 50, 40) }, sampleCallEnd(120))).toBeNull();
  expect(overruns.note(hold, sampleCallEnd(120, { outcome: 'not_sent' }))).toBeNull();
});

test('dollars beyond the price list are no overrun where any endpoint may serve the call, further tokens are', () => {
  const overruns = new ModelOverruns();
  const open = { ...hold, hasOpenPrice: true };
  expect(overruns.note(open, dear(300))).toBeNull();
  expect(overruns.note(open, sampleCallEnd(300, { counted: sampleNeed(300, 50, 80) }))).toMatchObject({ ratio: 2 });
});

test('an overrun of a zero hold is reported, and scales no other', () => {
  const overruns = new ModelOverruns();
  expect(overruns.note({ ...hold, need: sampleNeed(0) }, sampleCallEnd(5))).not.toBeNull();
  expect(scaleAmounts(sampleNeed(1_000, 10, 10), overruns.ratio(model)).usd).toBeLessThanOrEqual(1_001);
});

test('at most a thousand models are remembered, the newest', () => {
  const overruns = new ModelOverruns();
  const named = (name: number) => sampleSubject({ model: `${name}`, pricedModel: null });
  for (let name = 0; name <= 1_000; name += 1) overruns.put({ ...named(name), ratio: 3, firstCall: 'call' });
  expect([0, 1, 1_000].map((name) => overruns.ratio(named(name)))).toEqual([1, 3, 3]);
});

test('the alert stores what a restart needs, and is one until it is read', () => {
  const overruns = new ModelOverruns();
  const found = ['first', 'second'].map((callId, index) => {
    const end = dear(150 + 50 * index, callId);
    const overrun = overruns.note(hold, end);
    return overrun && overrunAlert(new Hold(hold.subject, hold.need, NOON, []), end, overrun, NOON);
  });
  expect(found.map((alert) => alert?.episode)).toEqual(['overrun:first', 'overrun:first']);
  const stored = JSON.parse(JSON.stringify(found[1])) as StoredAlert;
  const restarted = new ModelOverruns();
  const known = readOverrun(stored);
  if (known) restarted.put(known);
  expect(restarted.ratio(model)).toBe(2);
  restarted.acknowledge(model);
  expect(restarted.note(hold, dear(110, 'later'))?.firstCall).toBe('later');
});

test.each([{}, { provider: 'openai', model: 'gpt-5', ratio: '2', firstCall: 'call' }])(
  'an alert without a ratio scales nothing: %j',
  (evidence) => {
    expect(readOverrun({ type: 'OVERRUN', workspaceId: 'ws_a', evidence })).toBeNull();
  },
);

test('work above its assumed cost is reported under its key, and changes no ratio', () => {
  const sample = new SampleEngine(sampleBudget('lim_1', 500));
  const presumed = sample.hold(100);
  presumed.presumed = true;
  sample.settle(presumed, 120);
  expect(sample.overran).toEqual(['call']);
  expect(sample.engine.overruns.ratio(model)).toBe(1);
  expect(sample.figures()).toEqual({ lim_1: [120, 0] });
  const alert = presumedAlert(presumed, dear(120), NOON);
  expect(alert).toMatchObject({ type: 'OVERRUN', severity: 'warning', scope: { key: 'key_a' } });
  expect(alert.message).toContain('tollbook policies set key_a --presume USD');
  expect(readOverrun(alert)).toBeNull();
});

test('scaled amounts are rounded up', () => {
  expect(scaleAmounts(sampleNeed(101, 3, 0), 1.5)).toEqual(sampleNeed(152, 5, 0));
  expect(scaleAmounts(sampleNeed(null, 3, 0), 2)).toEqual(sampleNeed(null, 6, 0));
});

test('each spelling of a model shares its ratio', () => {
  const overruns = new ModelOverruns();
  const subject = sampleSubject({ provider: 'anthropic', model: 'gpt-5-2025-08-07', pricedModel: 'gpt-5' });
  overruns.note({ ...hold, need: sampleNeed(10), subject }, sampleCallEnd(30));
  expect(overruns.ratio(sampleSubject({ model: 'gpt-5', pricedModel: 'gpt-5' }))).toBe(3);
  expect(overruns.ratio(sampleSubject({ model: 'gpt-5-mini', pricedModel: 'gpt-5-mini' }))).toBe(1);
});
