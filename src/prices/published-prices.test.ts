import { describe, expect, it } from 'vitest';
import { TOKEN_CLASSES, type TokenClass } from '../domain/usage/usage.ts';
import { BUILT_IN_CHECKED, OVERRIDES } from './overrides.ts';
import { createPriceBook } from './price-book.ts';
import published from './published-prices.json' with { type: 'json' };

const book = createPriceBook();

describe('the built-in prices are those of the official pages', () => {
  it.each(published.rows)('$provider $model on $on at $promptTokens prompt tokens', (row) => {
    const card = book.resolve('ws', row.provider, row.model, Date.parse(`${row.on}T12:00:00Z`));
    const rates = card?.tiers.findLast(({ above }) => row.promptTokens > above)?.rates ?? {};
    const ours: Partial<Record<TokenClass, number | null>> = {};
    for (const name of TOKEN_CLASSES) if (name in row.usdPerMillion) ours[name] = perMillion(rates[name]);
    expect(ours).toEqual(row.usdPerMillion);
  });

  it('have the URL of their page', () => {
    expect(published.rows.length).toBeGreaterThan(100);
    for (const { source } of published.rows) expect(source).toMatch(/^https:\/\//);
  });
});

describe('the day of the last check of built-in prices', () => {
  it('is a day', () => {
    expect(new Date(BUILT_IN_CHECKED).toISOString().slice(0, 10)).toBe(BUILT_IN_CHECKED);
  });

  it('is not later than the last reading of a page', () => {
    const sources = OVERRIDES.flatMap(({ file: { prices, patches = [], withdrawn = [], aliases = [] } }) =>
      [...prices, ...patches, ...withdrawn, ...aliases].map(({ source }) => source),
    );
    const days = sources.flatMap((source) =>
      [...source.matchAll(/read (20\d\d-\d\d-\d\d)/g)].map(([, day]) => day ?? ''),
    );
    expect(days.length).toBeGreaterThan(0);
    expect(days.toSorted().at(-1)).toBe(BUILT_IN_CHECKED);
  });
});

function perMillion(rate: number | undefined): number | null {
  return rate === undefined ? null : rate / 1e6;
}
