import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { PriceAgeNote } from './coverage-card.tsx';

const shown = (days: number, isOld: boolean): string =>
  renderToStaticMarkup(<PriceAgeNote lists={{ checkedAt: '2026-11-22T00:00:00.000Z', ageDays: days, isOld }} />);

test('the page of prices shows the age of the price lists', () => {
  expect(shown(12, false)).toContain('Price lists checked on 22 Nov 2026 (12 days ago).');
  expect(shown(12, false)).not.toContain('probably changed');
});

test('the page of prices warns of old price lists', () => {
  expect(shown(61, true)).toContain('Some prices have probably changed');
  expect(shown(61, true)).toContain('SVC_PRICES_URL');
});
