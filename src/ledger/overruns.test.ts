import { expect, test } from 'vitest';
import { endOf, needOf, subjectOf } from './contract/sample-limits.ts';
import { Overruns, scaled } from './overruns.ts';

const hold = { need: needOf(100, 50, 40), subject: subjectOf(), presumed: false };

test('the largest ratio that was seen holds until somebody acknowledges it', () => {
  const overruns = new Overruns();
  expect(overruns.note(hold, endOf(100, { counted: needOf(100, 50, 40) }))).toBe(false);
  expect(overruns.note(hold, endOf(120, { counted: needOf(120, 50, 80) }))).toBe(true);
  expect(overruns.note(hold, endOf(110, { counted: needOf(110, 50, 40) }))).toBe(true);
  expect(overruns.ratio('anthropic', 'claude-opus-4-5')).toBe(2);
  overruns.acknowledge('anthropic', 'claude-opus-4-5');
  expect(overruns.ratio('anthropic', 'claude-opus-4-5')).toBe(1);
});

test('what was presumed, had no price, or was not sent is no overrun', () => {
  const overruns = new Overruns();
  expect(overruns.note({ ...hold, presumed: true }, endOf(120))).toBe(false);
  expect(overruns.note({ ...hold, need: needOf(null, 50, 40) }, endOf(120))).toBe(false);
  expect(overruns.note(hold, endOf(120, { outcome: 'not_sent' }))).toBe(false);
});

test('a hold of nothing that was passed is told, and scales no other', () => {
  const overruns = new Overruns();
  expect(overruns.note({ ...hold, need: needOf(0) }, endOf(5))).toBe(true);
  expect(scaled(needOf(1_000, 10, 10), overruns.ratio('anthropic', 'claude-opus-4-5')).usd).toBeLessThanOrEqual(1_001);
});

test('no more than a thousand models are remembered, the newest', () => {
  const overruns = new Overruns();
  for (let model = 0; model <= 1_000; model += 1) overruns.set('openai', `${model}`, 3);
  expect([overruns.ratio('openai', '0'), overruns.ratio('openai', '1'), overruns.ratio('openai', '1000')]).toEqual([
    1, 3, 3,
  ]);
});

test('scaled amounts are rounded up', () => {
  expect(scaled(needOf(101, 3, 0), 1.5)).toEqual(needOf(152, 5, 0));
  expect(scaled(needOf(null, 3, 0), 2)).toEqual(needOf(null, 6, 0));
});
