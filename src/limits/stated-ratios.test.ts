import { expect, test } from 'vitest';
import { DAY_MS } from '../domain/time/units.ts';
import type { CallEnd } from '../domain/usage/call.ts';
import { createPriceBook } from '../prices/price-book.ts';
import { NOON, sampleCallEnd, sampleSubject } from './contract/sample-limits.ts';
import { StatedRatios } from './stated-ratios.ts';

const book = createPriceBook();
const cardsOf = (model: string) => book.between('ws_a', 'openai', model, NOON, NOON);
const cards = cardsOf('gpt-4o');
const hold = { subject: sampleSubject(), presumed: false, hasOpenPrice: false, cards };
/** @param micro stated cost in millionths of a dollar; `listed` the same by prices */
const ended = (micro: number, listed: number, change: Partial<CallEnd> = {}) => {
  const [usd, contracted] = [micro * 1_000, listed * 1_000];
  return sampleCallEnd(usd, { provenance: { from: 'provider' }, priced: { list: contracted, contracted }, ...change });
};
const WEEK_MS = 7 * DAY_MS;

test('the highest ratio of stated costs applies to its model in its workspace', () => {
  const ratios = new StatedRatios();
  expect(ratios.ratio(hold.subject, cards)).toBe(1);
  for (const usd of [110, 125, 90]) ratios.note(hold, ended(usd, 100), NOON);
  expect(ratios.ratio(hold.subject, cardsOf('gpt-4o'))).toBe(1.25);
  expect(ratios.ratio(sampleSubject({ workspaceId: 'ws_b' }), cards)).toBe(1);
  expect(ratios.ratio(sampleSubject({ pricedModel: 'claude-haiku-4-5' }), cards)).toBe(1);
});

test('a ratio is kept for a week at least and two weeks at most', () => {
  const ratios = new StatedRatios();
  ratios.note(hold, ended(120, 100), NOON);
  ratios.note(hold, ended(110, 100), NOON + WEEK_MS);
  expect(ratios.ratio(hold.subject, cards)).toBe(1.2);
  ratios.note(hold, ended(100, 100), NOON + 2 * WEEK_MS);
  expect(ratios.ratio(hold.subject, cards)).toBe(1.1);
  ratios.note(hold, ended(100, 100), NOON + 5 * WEEK_MS);
  expect(ratios.ratio(hold.subject, cards)).toBe(1);
});

test('a ratio to earlier prices says nothing about a new one', () => {
  const ratios = new StatedRatios();
  ratios.note(hold, ended(120, 100), NOON);
  expect(ratios.ratio(hold.subject, cardsOf('gpt-4o-mini'))).toBe(1);
  ratios.note({ ...hold, cards: cardsOf('gpt-4o-mini') }, ended(105, 100), NOON);
  expect(ratios.ratio(hold.subject, cardsOf('gpt-4o-mini'))).toBe(1.05);
});

test('a ratio from the ledger is one to the prices of the next call', () => {
  const ratios = new StatedRatios();
  ratios.put({ ...sampleSubject(), ratio: 1.3 });
  expect(ratios.ratio(hold.subject, cards)).toBe(1.3);
  expect(ratios.ratio(hold.subject, cardsOf('gpt-4o-mini'))).toBe(1);
  ratios.note(hold, ended(100, 100), NOON);
  expect(ratios.ratio(hold.subject, cards)).toBe(1.3);
});

test.each([
  ['work without a bound', { ...hold, presumed: true }, ended(200, 100)],
  ['endpoints above the listed price', { ...hold, hasOpenPrice: true }, ended(200, 100)],
  ['costs that nobody stated', hold, ended(200, 100, { provenance: null })],
  ['a model without a price', hold, sampleCallEnd(200, { provenance: { from: 'provider' } })],
  ['a cost so small that the provider rounds it', hold, ended(2, 1)],
])('%s scales nothing', (_what, held, end) => {
  const ratios = new StatedRatios();
  ratios.note(held, end, NOON);
  expect(ratios.ratio(hold.subject, cards)).toBe(1);
});

test('models beyond a thousand replace the oldest', () => {
  const ratios = new StatedRatios();
  const named = (name: number) => sampleSubject({ pricedModel: `model-${name}` });
  for (let name = 0; name <= 1_000; name += 1) ratios.put({ ...named(name), ratio: 3 });
  expect([0, 1, 1_000].map((name) => ratios.ratio(named(name), cards))).toEqual([1, 3, 3]);
});
