import { expect, test } from 'vitest';
import { OVERRIDES } from '../../prices/overrides.ts';
import { createPriceBook } from '../../prices/price-book.ts';
import { formatProvenance, hasCustomPrice, parseProvenance, type CostProvenance, PROVENANCES } from './provenance.ts';

const WRITTEN: readonly (readonly [CostProvenance, string])[] = [
  [{ from: 'price', versions: ['tollbook/m/always#1'] }, 'tollbook/m/always#1'],
  [{ from: 'price', versions: ['tollbook/m/always#1', 'user/n/always#2'] }, 'tollbook/m/always#1 + user/n/always#2'],
  [{ from: 'report', versions: [] }, 'by:report'],
  [{ from: 'report', versions: ['user/m/always#1'] }, 'by:report user/m/always#1'],
  [{ from: 'person' }, 'by:person'],
  [{ from: 'provider' }, 'by:provider'],
  [{ from: 'subscription' }, 'by:subscription'],
];

test.each(WRITTEN)('%j is stored as "%s"', (provenance, text) => {
  expect(formatProvenance(provenance)).toBe(text);
  expect(parseProvenance(text)).toEqual(provenance);
});

test('every kind of provenance has a stored form', () => {
  expect(new Set(WRITTEN.map(([{ from }]) => from))).toEqual(new Set(PROVENANCES));
});

test('an unknown stored form is an error, not a price', () => {
  expect(() => parseProvenance('by:nobody')).toThrow(SyntaxError);
  expect(() => parseProvenance('by:reports')).toThrow(SyntaxError);
});

test('no version of a listed price can be mistaken for a stored form or for two versions', () => {
  const cards = createPriceBook().list(
    'ws',
    new Set(OVERRIDES.map(({ file }) => file.provider)),
    Date.parse('2026-11-21'),
  );
  expect(cards.length).toBeGreaterThan(0);
  for (const { version } of cards) expect(parseProvenance(version)).toEqual({ from: 'price', versions: [version] });
});

test('only versions that begin with the origin of custom prices are custom prices', () => {
  expect(hasCustomPrice({ from: 'price', versions: ['tollbook/a/always#1', 'user/m/always#1'] })).toBe(true);
  expect(hasCustomPrice({ from: 'report', versions: ['user/m/always#1'] })).toBe(true);
  expect(hasCustomPrice({ from: 'price', versions: ['genai-prices-1/user/m/always#1'] })).toBe(false);
  expect(hasCustomPrice({ from: 'person' })).toBe(false);
});
