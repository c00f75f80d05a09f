import { expect, test } from 'vitest';
import type { Entry } from '../domain/usage/call.ts';
import { withCostBasis } from '../domain/usage/usage-totals.ts';
import type { PriceContract } from '../domain/pricing/contract.ts';
import { priceUsage } from '../domain/pricing/pricing.ts';
import { fromPrices } from '../domain/pricing/provenance.ts';
import { silentLog } from '../lib/log.ts';
import { createPriceBook } from '../prices/price-book.ts';
import { readContract } from '../prices/price-schema.ts';
import { buildProviders } from '../providers/providers.ts';
import { entryOf } from '../../test/support/arbitrary-entry.ts';
import { usageOf } from '../../test/test-ledger.ts';
import { openMemoryStore } from '../../test/support/memory-store/memory-store.ts';
import { BatchSum } from './batch-sum.ts';
import { ChangedContracts, contractsJob } from './reprice.ts';

const DAY = (day: number): number => Date.UTC(2026, 9, day);
const WHOLE = { start: DAY(1), end: DAY(32) };
const prices = createPriceBook();
const providers = buildProviders({ urls: {}, custom: [] });

/** A call as the gateway recorded it at list price. */
function listedCall(
  callId: string,
  day: number,
  changes: Partial<Entry> & { readonly tokens: [number, number] },
): Entry {
  const { tokens, ...given } = changes;
  const [input, output] = tokens;
  const { provider = 'openai', model = 'gpt-4o' } = given;
  const usage = usageOf(input, output);
  const { cost, versions } = priceUsage(usage, model ?? '', (name) => prices.resolve('ws', provider, name, DAY(day)));
  const counted = { usd: cost, inputTokens: input, outputTokens: output };
  const fixed = { startedAt: DAY(day), provider, model, usage, cost, counted, provenance: fromPrices(versions) };
  return entryOf(callId, { ...fixed, ...given });
}

/** Ledger of some calls, and what it says of them after contracts were set or removed. */
async function openLedger(calls: readonly Entry[]) {
  const { entries, reports } = openMemoryStore();
  await entries.append({ journalId: 'j', mark: 1, entries: calls });
  const inForce: PriceContract[] = [];
  const records = {
    workspaces: { list: async () => [] },
    prices: { all: async () => [] },
    contracts: { all: async () => inForce },
  };
  const parts = { records, reports, entries, prices, providers, clock: () => WHOLE.end, log: silentLog };
  const change = async (contracts: readonly PriceContract[], changed: readonly PriceContract[]): Promise<void> => {
    inForce.splice(0, Infinity, ...contracts);
    prices.contracts.set(contracts);
    const waiting = new ChangedContracts();
    for (const one of changed) waiting.add(one);
    await contractsJob(parts, waiting).run(new AbortController().signal);
  };
  const columns = async () => {
    const { byModel } = await reports.summary('ws_default', WHOLE);
    return Object.fromEntries(
      [...byModel].map(([model, sum]) => [
        model,
        (['list', 'contracted', 'effective'] as const).map((basis) => Number(withCostBasis(sum, basis).cost) / 1e9),
      ]),
    );
  };
  return { change, columns, reports, entries };
}

function contract(id: string, input: object): PriceContract {
  return { ...readContract(input), id: `contract_${id}`, workspaceId: 'ws_default' };
}

/**
 * Invoice of a month: 24 % off OpenAI from the 16th on. Column by column: list, contracted, effective; the provider
 * itself charged one call of it at a stated cost, and Anthropic has no contract.
 */
test('a dated discount of 24 % reproduces an invoice in three columns', async () => {
  const million = 1_000_000;
  const ledger = await openLedger([
    // $2.50 and $10 per million tokens.
    listedCall('before', 15, { tokens: [2 * million, million] }),
    listedCall('first', 16, { tokens: [4 * million, 3 * million] }),
    listedCall('odd', 20, { tokens: [1, 3] }),
    // $0.15 and $0.60.
    listedCall('mini', 20, { tokens: [10 * million, million], model: 'gpt-4o-mini' }),
    listedCall('other', 20, { tokens: [million, 0], provider: 'anthropic', model: 'claude-haiku-4-5' }),
  ]);
  const discount = contract('1', { provider: 'openai', from: '2026-10-16', multiplier: '0.76' });
  await ledger.change([discount], [discount]);
  expect(await ledger.columns()).toEqual({
    // 15.00 before; 40.00 and 0.0000325 with the discount: 30.40 and 0.0000247.
    'gpt-4o': [55.0000325, 45.4000247, 45.4000247],
    'gpt-4o-mini': [2.1, 1.596, 1.596],
    'claude-haiku-4-5': [1, 1, 1],
  });
});

test('a changed or removed contract prices its calls again, and the list cost stays', async () => {
  const ledger = await openLedger([listedCall('a', 20, { tokens: [1_000_000, 0] })]);
  const first = contract('1', { from: '2026-10-16', multiplier: '0.76' });
  await ledger.change([first], [first]);
  expect(await ledger.columns()).toEqual({ 'gpt-4o': [2.5, 1.9, 1.9] });
  const later = contract('2', { from: '2026-10-16', multiplier: '0.5' });
  await ledger.change([later], [first, later]);
  expect(await ledger.columns()).toEqual({ 'gpt-4o': [2.5, 1.25, 1.25] });
  // Nothing changes twice.
  await ledger.change([later], []);
  expect((await ledger.reports.entry('ws_default', 'a'))?.adjustments).toHaveLength(2);
  await ledger.change([], [later]);
  expect(await ledger.columns()).toEqual({ 'gpt-4o': [2.5, 2.5, 2.5] });
});

test('a batch that was settled from its results is priced again at the price of batches, by length tier', async () => {
  const open = {
    usage: null,
    cost: null,
    provenance: null,
    usageSource: 'none',
    uncertainReason: 'background',
  } as const;
  const batch = listedCall('batch', 20, { tokens: [0, 0], model: 'gpt-5.4', operation: 'batches' });
  const ledger = await openLedger([{ ...batch, ...open }]);
  const resolve = (name: string) => prices.resolve('ws', 'openai', name, DAY(20));
  const sum = new BatchSum();
  let settled = 0;
  for (const input of [1_000, 1_001, 200_000, 300_000, 400_001]) {
    const { inferences, ...rest } = usageOf(input, 7);
    const usage = { ...rest, inferences, terms: { ...rest.terms, tier: 'batch' } };
    const { cost, versions } = priceUsage(usage, 'gpt-5.4', resolve);
    const costs = { cost: cost ?? 0, list: cost ?? 0, contracted: cost ?? 0, versions };
    sum.add(usage, 'gpt-5.4', costs, (name) => resolve(name)?.tiers ?? []);
    settled += cost ?? 0;
  }
  expect(sum.usage.inferences).toMatchObject([{ promptTokens: 200_000 }, { promptTokens: 400_001 }]);
  const resolved = { inputTokens: 902_002, outputTokens: 35, usage: sum.usage };
  const correction = { adjustmentId: 'batch:batch', callId: 'batch', workspaceId: 'ws_default', recordedAt: DAY(21) };
  const provenance = fromPrices(sum.versions) ?? { from: 'provider' as const };
  await ledger.entries.adjust([
    { ...correction, costBefore: null, costAfter: sum.cost, provenance, reason: 'results', resolved },
  ]);
  const listed = settled / 1e9;
  expect(await ledger.columns()).toEqual({ 'gpt-5.4': [listed, listed, listed] });
  const discount = contract('1', { multiplier: '0.5' });
  await ledger.change([discount], [discount]);
  expect(await ledger.columns()).toEqual({ 'gpt-5.4': [listed, listed / 2, listed / 2] });
  await ledger.change([discount], [discount]);
  expect((await ledger.reports.entry('ws_default', 'batch'))?.adjustments).toHaveLength(2);
});

test('a cost that the provider stated, a person said or a report gave stays', async () => {
  const ledger = await openLedger(
    (['provider', 'person'] as const).map((from) =>
      listedCall(from, 20, { tokens: [1_000_000, 0], provenance: { from } }),
    ),
  );
  const discount = contract('1', { multiplier: '0.5' });
  await ledger.change([discount], [discount]);
  expect((await ledger.columns())['gpt-4o']).toEqual([5, 5, 5]);
});

test('a call that enters the ledger just after a change gets its price from the last run, whatever changed between', async () => {
  const store = openMemoryStore();
  const late = listedCall('late', 20, { tokens: [1_000_000, 0] });
  const [discount, other] = [
    contract('1', { multiplier: '0.5' }),
    contract('2', { provider: 'google', multiplier: '0.9' }),
  ];
  prices.contracts.set([discount]);
  const none = async (): Promise<never[]> => [];
  const records = { workspaces: { list: none }, prices: { all: none }, contracts: { all: none } };
  let now = WHOLE.end;
  const parts = { ...store, records, prices, providers, clock: () => now, log: silentLog };
  const changed = new ChangedContracts();
  const job = contractsJob(parts, changed);
  for (const change of [discount, other]) {
    changed.add(change);
    await job.run(new AbortController().signal);
    now += 1_000;
  }
  await store.entries.append({ journalId: 'j', mark: 1, entries: [late] });
  now += 59_000;
  await job.run(new AbortController().signal);
  expect((await store.reports.entry('ws_default', 'late'))?.adjustments).toMatchObject([{ costAfter: 1_250_000_000 }]);
  prices.contracts.set([]);
});
