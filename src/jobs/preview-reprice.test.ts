import { expect, test } from 'vitest';
import { entryOf, WHOLE } from '../../test/support/arbitrary-entry.ts';
import { rateCard } from '../../test/support/temporary-records.ts';
import { createPriceBook } from '../prices/price-book.ts';
import { buildProviders } from '../providers/providers.ts';
import type { RecordedEntry } from '../storage/usage-queries.ts';
import { previewPrice } from './preview-reprice.ts';

const OTHERS_A_PAGE = 500;

function recorded(callId: string, model: string): RecordedEntry {
  const usage = {
    inferences: [{ model: null, tokens: { input: 1_000 }, promptTokens: 1_000 }],
    uses: {},
    thinking: 0,
    terms: { tier: null, speed: null, geo: null },
  };
  const entry = entryOf(callId, { provider: 'anthropic', model, usage, cost: 5, usageSource: 'reported' });
  return { entry, adjustments: [] };
}

/** Previews a price of `claude-x` over pages of calls to another model, and one call of its own on the last page. */
async function preview(pages: number) {
  const others = Array.from({ length: OTHERS_A_PAGE }, (_, at) => recorded(`other-${at}`, 'claude-y'));
  let left = pages;
  const entriesPage = async () => {
    left -= 1;
    return left > 0 ? { rows: others, next: 'more' } : { rows: [recorded('own', 'claude-x')], next: null };
  };
  const card = { workspaceId: 'ws_default', card: rateCard('claude-x') };
  const providers = buildProviders({ urls: {}, custom: [] });
  const parts = { reports: { entriesPage }, providers, clock: () => WHOLE.end, prices: createPriceBook() };
  return await previewPrice(parts, card, [card]);
}

test('calls of other models do not keep a preview from the calls of a price', async () => {
  expect(await preview(150)).toMatchObject({ calls: 1, costBefore: 5n, unpricedCalls: 0, isComplete: true });
});

test('a preview that has not read all calls says so', async () => {
  expect(await preview(10_000)).toMatchObject({ calls: 0, isComplete: false });
});
