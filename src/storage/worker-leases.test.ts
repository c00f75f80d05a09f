import { expect, test } from 'vitest';
import { entryOf, FIRST_DAY } from '../../test/support/arbitrary-entry.ts';
import { WORKSPACE } from '../../test/support/filled-store.ts';
import { openTestWorkerLeases } from '../../test/support/lease-stores.ts';
import type { Entry } from '../domain/usage/call.ts';
import { LEASE_PROTOCOL } from '../leases/exchange.ts';
import { adjustmentOf, DAY, limitOf, touchOf, unpriced } from './contract/counters-contract.ts';
import { idleLeasesContract, leasesContract } from './contract/leases-contract.ts';
import type { LedgerStore } from './store.ts';

leasesContract('workers', openTestWorkerLeases);
idleLeasesContract('workers', openTestWorkerLeases);

const UNCERTAIN = {
  outcome: 'broken',
  uncertainReason: 'reset',
  usageSource: 'none',
  usage: null,
  cost: null,
  provenance: null,
  counted: { usd: 2_000, inputTokens: 200, outputTokens: 100 },
} as const satisfies Partial<Entry>;

type Leases = Awaited<ReturnType<typeof openTestWorkerLeases>>;

async function append(ledger: LedgerStore, journalId: string, mark: number, entries: readonly Entry[]): Promise<void> {
  await ledger.entries.append({ journalId, mark, entries });
}

/** Expects that leases count what the ledger counts. */
async function expectCounted({ ledger, store }: Leases, sums: readonly number[]): Promise<void> {
  const counted = (await ledger.counters.list(0)).toSorted((a, b) => a.counter - b.counter);
  expect(counted.map((state) => state.counted)).toEqual(sums);
  const heads = (await store.standings([1, 2])).toSorted((a, b) => a.place.counter - b.place.counter);
  const leased = heads.map(({ base, grants }) =>
    [...grants.values()].reduce((sum, { used }) => sum + Number(used), Number(base)),
  );
  expect(leased).toEqual(sums);
}

const request = { protocol: LEASE_PROTOCOL, node: 'a', epoch: 1, generation: 1, changes: 1, isHeartbeat: false };

test('leases of workers count what the ledger counts, in every change of a counter', async () => {
  const leases = await openTestWorkerLeases();
  const { ledger, store, setAmount } = leases;
  await setAmount(1, 1_000_000);
  for (const node of ['a', 'b']) await store.register(node, 1);
  const touched = [touchOf()];
  await append(ledger, 'a', 2, [entryOf('one', { touched }), entryOf('lost', { ...UNCERTAIN, touched })]);
  await append(ledger, 'b', 1, [entryOf('two', { touched })]);
  await expectCounted(leases, [4_000]);
  await ledger.entries.adjust([adjustmentOf('two', { costBefore: 1_000, costAfter: 700 })]);
  await expectCounted(leases, [3_700]);
  await ledger.counters.release(WORKSPACE, { counter: 1, windowStart: FIRST_DAY, until: DAY.end });
  await expectCounted(leases, [1_700]);
  await setAmount(2, 1_000_000);
  await append(ledger, 'b', 2, [entryOf('three', { touched: [touchOf({ counter: 2 })] })]);
  await ledger.counters.backfill(limitOf({ counter: 2 }), DAY, unpriced);
  await expectCounted(leases, [1_700, 4_700]);
  const [first] = await store.standings([1]);
  expect(first).toMatchObject({ base: -2_300, taken: 1_700 });
  expect([...(first?.grants ?? [])].map(([node, { used }]) => [node, used])).toEqual([
    ['a', 3_000],
    ['b', 1_000],
  ]);
});

test('a worker begins after the calls that an earlier service has shipped of it', async () => {
  const { ledger, store, setAmount } = await openTestWorkerLeases();
  await setAmount(1, 5_000);
  await append(ledger, 'a', 7, [entryOf('one', { touched: [touchOf()] })]);
  await store.register('a', 1);
  const complete = { ...request, isComplete: true, items: [] };
  expect(await store.exchange({ ...complete, seq: 1, position: 8 })).toEqual({ kind: 'unshipped', seq: 1, mark: 7 });
  expect(await store.exchange({ ...complete, seq: 2, position: 7 })).toMatchObject({ kind: 'granted' });
});

test('calls of a worker that was forgotten are still stored and counted', async () => {
  const leases = await openTestWorkerLeases();
  const { ledger, store, setAmount, setTime } = leases;
  await setAmount(1, 1_000_000);
  await store.register('a', 1);
  await setTime(1_000_000);
  expect(await store.forget('a', 'free')).toBe(true);
  await append(ledger, 'a', 1, [entryOf('one', { touched: [touchOf()] })]);
  await expectCounted(leases, [1_000]);
  await store.register('a', 2);
  await append(ledger, 'a', 2, [entryOf('two', { touched: [touchOf()] })]);
  await expectCounted(leases, [2_000]);
});
