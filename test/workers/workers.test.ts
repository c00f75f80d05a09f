import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DoctorReport, NodeList } from '../../src/contract/installation.ts';
import type { UsageSummary } from '../../src/contract/usage.ts';
import { Limited, type TestKey } from '../e2e/limited.ts';
import { eventually } from '../service.ts';

// Several processes share the port, the ledger in SQLite, and its limits.

const WORKERS = 3;
const NANO_PER_USD = 1e9;
const AMOUNT = 200;
const AMOUNT_OF_KEY = 60;
const AT_A_TIME = 24;

let dataDir: string;
let limited: Limited;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollbook-workers-'));
  limited = await Limited.start({ dataDir, env: { SVC_WORKERS: String(WORKERS) } });
});
afterEach(async () => {
  await limited.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Makes calls with each key in turn. Returns their statuses; 0 = broken off. */
async function callMany(count: number, keys: readonly TestKey[]): Promise<number[]> {
  const statuses: number[] = [];
  let begun = 0;
  const loop = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      statuses.push(await statusOfCall(keys[begun % keys.length]));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, loop));
  return statuses;
}

async function statusOfCall(key: TestKey | undefined): Promise<number> {
  try {
    const ask = { provider: 'openai', model: 'gpt-5-mini', maxTokens: 100 } as const;
    return (await limited.call({ ...ask, ...(key && { key: key.key }) })).status;
  } catch {
    return 0;
  }
}

async function createRefusedKey(): Promise<TestKey> {
  const key = await limited.createKey('openai');
  await limited.manage('PUT', `/policies/${key.id}`, { whenOverLimit: 'refuse' });
  return key;
}

const limitOnCalls = (scope: object, amount: number) =>
  limited.limit({ unit: 'calls', amount, window: 'total', scope });

/** Process ids of the workers. */
async function workers(): Promise<number[]> {
  const { pid } = limited.service;
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/** Calls that the provider got. */
function sent(): number {
  return limited.double.requests.filter(({ path }) => path.includes('completions')).length;
}

async function summary(): Promise<UsageSummary> {
  await limited.idle();
  return await limited.service.report<UsageSummary>('/api/mcp/usage/summary');
}

test('three workers use all of each limit and no more, and the ledger matches the bill', async () => {
  const keys = [await createRefusedKey(), await createRefusedKey()] as const;
  const { id } = await limitOnCalls({ kind: 'workspace' }, AMOUNT);
  const ofKey = await limitOnCalls({ kind: 'key', keyId: keys[0].id }, AMOUNT_OF_KEY);
  const statuses = await callMany(2 * AMOUNT, keys);
  expect(statuses.filter((status) => status === 200)).toHaveLength(AMOUNT);
  expect(sent()).toBe(AMOUNT);
  expect(await limited.settled(id)).toMatchObject({ counted: AMOUNT, held: 0, remaining: 0 });
  expect(await limited.standing(ofKey.id)).toMatchObject({ counted: AMOUNT_OF_KEY, held: 0, remaining: 0 });
  const { totalCalls, totalCost } = await summary();
  expect(totalCalls).toBe(AMOUNT);
  expect(totalCost).toBeCloseTo(Number(limited.double.bill.total()) / NANO_PER_USD, 9);

  await limited.manage('PATCH', `/limits/${id}`, { amount: AMOUNT + 10 });
  const more = await callMany(3 * AT_A_TIME, [keys[1]]);
  expect(more.filter((status) => status === 200)).toHaveLength(10);
  await limited.manage('PATCH', `/limits/${id}`, { amount: 10 * AMOUNT });
  expect(await statusOfCall(keys[1])).toBe(200);
  await limited.manage('PATCH', `/limits/${id}`, { amount: 1 });
  expect(new Set(await callMany(2 * AT_A_TIME, [keys[1]]))).toEqual(new Set([402]));
  const { nodes } = await limited.service.command<NodeList>(['nodes', 'list']);
  expect(nodes.map(({ state }) => state)).toEqual(['running', 'running', 'running']);
});

test('after deaths of workers and of all, no call is lost or counted twice, and all of a limit can be used', async () => {
  const key = await createRefusedKey();
  const { id } = await limitOnCalls({ kind: 'workspace' }, AMOUNT);
  const load = callMany(AMOUNT, [key]);
  for (const seen of [40, 90]) {
    await eventually(
      async () => sent(),
      (found) => found >= seen,
    );
    const running = await workers();
    process.kill(running[0] ?? Number.NaN, 'SIGKILL');
    await eventually(workers, (found) => found.length === WORKERS && found.some((pid) => !running.includes(pid)));
  }
  await load;
  // Once the last one that died runs again, has ended the calls of its predecessor, and the ledger has them.
  const { counted, held } = await limited.settled(id);
  expect(held).toBe(0);
  expect(counted).toBeGreaterThanOrEqual(sent());
  expect(counted).toBeLessThanOrEqual(AMOUNT);
  expect((await summary()).totalCalls).toBe(counted);

  limited.double.barrier.shut();
  const cut = callMany(4, [key]);
  await limited.double.barrier.waiting(Math.min(4, AMOUNT - counted));
  const running = await workers();
  // One gateway alone takes over what three have left in their journals.
  await limited.killAndStart({ env: { SVC_WORKERS: '1' } });
  await eventually(
    async () => running.filter(isAlive),
    (alive) => alive.length === 0,
  );
  limited.double.barrier.open();
  await cut;
  const after = await limited.settled(id);
  expect(after).toMatchObject({ counted: Math.min(AMOUNT, counted + 4), held: 0 });
  await callMany(AMOUNT, [key]);
  expect(await limited.settled(id)).toMatchObject({ counted: AMOUNT, remaining: 0 });
  expect((await summary()).totalCalls).toBe(AMOUNT);
  expect(sent()).toBeLessThanOrEqual(AMOUNT);
  const { checks } = await limited.service.command<DoctorReport>(['doctor']);
  expect(checks.filter(({ state }) => state === 'failed')).toEqual([]);
});

test('the journals of all workers are checked, and copied to a backup', async () => {
  await callMany(20, [await createRefusedKey()]);
  const { checks } = await limited.service.command<DoctorReport>(['doctor']);
  const journals = checks.filter(({ name }) => name === 'journal');
  expect(journals.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok']);
  const copy = `${dataDir}-copy`;
  await limited.service.command(['backup', copy]);
  expect(await readdir(join(copy, 'workers'))).toEqual(['1', '2', '3']);
  await rm(copy, { recursive: true });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
