import { describe, expect, it } from 'vitest';
import { comparePriceLists } from './compare-lists.ts';
import { createPriceBook } from './price-book.ts';
import type { PriceFile, PriceRow } from './price-rows.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');

function book(...prices: readonly Omit<PriceRow, 'source'>[]) {
  return bookOf({ provider: 'own', prices: prices.map((each) => Object.assign({ source: 'test' }, each)) });
}

function bookOf(file: PriceFile) {
  const made = createPriceBook();
  made.setRefreshed([file]);
  return made;
}

const row = (input: string, more: Partial<PriceRow> = {}) => ({
  models: ['m'],
  usdPerMillion: { input, output: '10' },
  ...more,
});
const compare = (before: ReturnType<typeof book>, after: ReturnType<typeof book>) =>
  comparePriceLists(before, after, ['own'], NOW);

describe('a comparison of price lists', () => {
  it('is empty for equal lists', () => {
    expect(compare(book(row('2')), book(row('2')))).toEqual([]);
  });

  it('names new, changed and removed models with each figure', () => {
    const before = book(row('2'), row('1', { models: ['gone'] }));
    const after = book(row('2.2'), row('3', { models: ['fresh', 'fresh-2026-01-01'] }));
    const rate = (was: number | null, is: number | null) => ({ name: 'input', before: was, after: is });
    expect(compare(before, after)).toMatchObject([
      { model: 'm', kind: 'changed', from: null, isLarge: false, figures: [rate(2, 2.2)] },
      { model: 'fresh', kind: 'new', isLarge: false },
      { model: 'gone', kind: 'removed', isLarge: true },
    ]);
  });

  it('finds a change that begins later, at its first time', () => {
    const later = book(row('2', { until: '2027-01-01' }), row('3', { from: '2027-01-01' }));
    expect(compare(book(row('2')), later)).toMatchObject([
      { kind: 'changed', from: Date.parse('2027-01-01'), figures: [{ name: 'input', before: 2, after: 3 }] },
    ]);
  });

  it('finds a change of some hours of working days', () => {
    const daily = { from: '01:00', until: '04:00', workdays: true };
    const [change] = compare(book(row('2')), book(row('2'), row('4.1', { daily })));
    expect(change).toMatchObject({ isLarge: true, figures: [{ name: 'input', before: 2, after: 4.1 }] });
  });

  it.each([
    ['4', false],
    ['4.1', true],
    ['1', false],
    ['0.9', true],
    ['0', true],
  ])('asks a person to accept $2 → $%s: %s', (input, isLarge) => {
    expect(compare(book(row('2')), book(row(input)))).toMatchObject([{ isLarge }]);
  });

  it('asks a person to accept a new model that is free, and a fee that ends', () => {
    const free = row('0', { models: ['free'], usdPerMillion: { input: '0', output: '0' } });
    expect(compare(book(), book(free))).toMatchObject([{ kind: 'new', isLarge: true }]);
    const withFee = row('2', { fees: { webSearch: '0.01' } });
    expect(compare(book(withFee), book(row('2')))).toMatchObject([
      { isLarge: true, figures: [{ name: 'webSearch fee', before: 0.01, after: null }] },
    ]);
  });

  it('finds a name that leads to the price of another model', () => {
    const prices = [
      { ...row('2', { models: ['m', 'm-latest'] }), source: 'test' },
      { ...row('0.1', { models: ['cheap'] }), source: 'test' },
    ];
    const before = bookOf({ provider: 'own', prices });
    const after = bookOf({
      provider: 'own',
      prices,
      aliases: [{ models: ['m-latest'], of: 'cheap', source: 'test' }],
    });
    expect(compare(before, after)).toMatchObject([{ model: 'm-latest', kind: 'changed', isLarge: true }]);
  });
});
