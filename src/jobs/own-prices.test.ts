import { expect, test } from 'vitest';
import type { Entry } from '../domain/usage/call.ts';
import type { RateCard, WorkspaceCard } from '../domain/pricing/price.ts';
import type { CostProvenance } from '../domain/pricing/provenance.ts';
import { silentLog } from '../lib/log.ts';
import { createPriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import { buildProviders } from '../providers/providers.ts';
import { entryOf, FIRST_DAY, WHOLE } from '../../test/support/arbitrary-entry.ts';
import { openMemoryStore } from '../../test/support/memory-store/memory-store.ts';
import { rateCard } from '../../test/support/temporary-records.ts';
import { ChangedPrices, customPricesJob } from './reprice.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { EntriesQuery, RecordedEntry } from '../storage/usage-queries.ts';

const tokens = { input: 1_000 };
const usage = {
  inferences: [{ model: null, tokens, promptTokens: 1_000 }],
  uses: {},
  thinking: 0,
  terms: { tier: null, speed: null, geo: null },
};

function call(callId: string, changes: Partial<Entry> = {}): Entry {
  return entryOf(callId, {
    provider: 'anthropic',
    model: 'claude-x',
    usage,
    cost: 5,
    usageSource: 'reported',
    ...changes,
  });
}

function own(model: string, changes: Partial<RateCard> = {}, workspaceId = 'ws_default'): WorkspaceCard {
  return { workspaceId, card: rateCard(model, changes) };
}

/** Runs the job on a book of these calls; says which were corrected and what was asked for. */
async function run(calls: readonly Entry[], all: readonly WorkspaceCard[], changes: readonly WorkspaceCard[]) {
  const { entries, reports } = openMemoryStore();
  await entries.append({ journalId: 'j', mark: 1, entries: calls });
  const asked: (EntriesQuery & { workspaceId: string })[] = [];
  const custom = [{ id: 'mine', name: 'Mine', url: 'http://127.0.0.1:1', priceProvider: 'anthropic' }];
  const providers: ReadonlyMap<string, Provider> = buildProviders({ urls: {}, custom });
  const changed = new ChangedPrices();
  for (const card of changes) changed.add(card);
  const entriesPage = (workspaceId: string, query: EntriesQuery) => {
    asked.push({ ...query, workspaceId });
    return reports.entriesPage(workspaceId, query);
  };
  const records = {
    workspaces: { list: async () => [] },
    prices: { all: async () => [...all] },
    contracts: { all: async () => [] },
  };
  const prices = createPriceBook({ userCards: all });
  const parts = {
    records,
    reports: { entriesPage },
    entries,
    prices,
    providers,
    clock: () => WHOLE.end,
    log: silentLog,
  };
  await customPricesJob(parts, changed).run(new AbortController().signal);
  const recorded = await Promise.all(calls.map((entry) => reports.entry(entry.workspaceId, entry.callId)));
  const corrected = recorded.filter((one): one is RecordedEntry => (one?.adjustments.length ?? 0) > 0);
  return { asked, corrected: corrected.map(({ entry }) => entry.callId) };
}

test('a new price corrects the calls of its workspace, provider, model and days, and reads no others', async () => {
  const from = FIRST_DAY + DAY_MS;
  const set = own('claude-x', { from });
  const calls = [
    call('before', { startedAt: from - 1 }),
    call('first', { startedAt: from }),
    call('snapshot', { startedAt: from, model: 'claude-x-20260101' }),
    call('same prices', { startedAt: from, provider: 'mine' }),
    call('other model', { startedAt: from, model: 'claude-y' }),
    call('other provider', { startedAt: from, provider: 'openai' }),
    call('other workspace', { startedAt: from, workspaceId: 'ws_other' }),
  ];
  const others = [own('claude-y'), own('claude-x', { provider: 'openai' }), own('claude-x', {}, 'ws_other')];
  const { asked, corrected } = await run(calls, [set, ...others], [set]);
  expect(corrected).toEqual(['first', 'snapshot', 'same prices']);
  expect(asked.map(({ workspaceId, filter, range }) => [workspaceId, filter, range.start])).toEqual([
    ['ws_default', { provider: 'anthropic' }, from],
    ['ws_default', { provider: 'mine' }, from],
  ]);
});

test('a pass of another model is corrected with its call', async () => {
  const passes = [{ model: 'claude-y', tokens, promptTokens: 1_000 }];
  const { corrected } = await run(
    [call('a', { usage: { ...usage, inferences: passes } })],
    [own('claude-y')],
    [own('claude-y')],
  );
  expect(corrected).toEqual(['a']);
});

test('without a change, or after too many, all custom prices are applied in turns', async () => {
  const calls = [call('a'), call('b', { workspaceId: 'ws_other' })];
  const all = [own('claude-x'), own('claude-x', {}, 'ws_other')];
  expect((await run(calls, all, [])).corrected).toEqual(['a', 'b']);
  expect((await run(calls, all, Array<WorkspaceCard>(1_001).fill(own('claude-z')))).corrected).toEqual(['a', 'b']);
});

test('calls of a removed provider are found under its name', async () => {
  const set = own('m', { provider: 'gone' });
  expect((await run([call('a', { provider: 'gone', model: 'm' })], [set], [set])).corrected).toEqual(['a']);
});

test.each<[string, CostProvenance, string[]]>([
  ['a price gave is corrected', { from: 'price', versions: ['user/claude-x/always#1'] }, ['a']],
  ['the provider stated stays', { from: 'provider' }, []],
  ['a person said stays', { from: 'person' }, []],
  ['a report gave stays', { from: 'report', versions: ['user/claude-x/always#1'] }, []],
])('a cost that %s when the price changes', async (_what, provenance, corrected) => {
  const set = own('claude-x');
  expect((await run([call('a', { provenance })], [set], [set])).corrected).toEqual(corrected);
});
