import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LimitShape } from '../../src/contract/limits.ts';
import type { DoctorReport } from '../../src/contract/installation.ts';
import type { UsageSummary } from '../../src/contract/usage.ts';
import { seedOfRun } from '../seeded.ts';
import { load } from './limit-load.ts';
import { Limited } from './limited.ts';

// Whenever a limit comes, every call of its window is counted once: those before it, those under way, those after it.

const CALLS = 60;
const TAGS = { team: 'search' };
const FAULTS = { faults: 0.3, aborts: 0.1 };
/** All of these count every call of this test. */
const LIMITS = [
  { scope: { kind: 'workspace' }, unit: 'usd', window: 'total' },
  { scope: { kind: 'tag', key: 'team', value: 'search' }, unit: 'calls', window: 'month' },
  { scope: { kind: 'each_tag', key: 'team' }, unit: 'usd', window: 'week' },
  { scope: { kind: 'model', pattern: '*' }, unit: 'usd', window: 'month' },
  { scope: { kind: 'workspace' }, unit: 'output_tokens', window: 'week' },
].map((limit) => Object.assign(limit, { amount: 1_000_000, action: 'warn' }));

let dataDir: string;
let limited: Limited;
let token: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollbook-past-'));
  limited = await Limited.start({ dataDir });
  token = await limited.service.createToken(['usage:read']);
});
afterEach(async () => {
  await limited.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** What the book says of all calls, as limits count them. */
async function spent(): Promise<{ usd: number; calls: number }> {
  const period = 'startDate=2020-01-01T00:00:00Z&endDate=2999-01-01T00:00:00Z';
  const address = `${limited.service.baseUrl}/api/mcp/usage/summary?${period}`;
  const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  const summary = (await answer.json()) as UsageSummary;
  return { usd: nano(summary.totalCost) + nano(summary.uncertainUpTo ?? 0), calls: summary.totalCalls };
}

function nano(usd: number): number {
  return Math.round(usd * 1e9);
}

async function expectAllCounted(limits: readonly LimitShape[]): Promise<void> {
  await limited.idle();
  const { usd, calls } = await spent();
  expect(calls).toBeGreaterThan(CALLS);
  for (const { id, unit, scope } of limits) {
    const { counted, held } = await limited.standing(id);
    if (unit === 'usd') expect({ scope, counted: nano(counted) }).toEqual({ scope, counted: usd });
    if (unit === 'calls') expect(counted).toBe(calls);
    expect(held).toBe(0);
  }
  const { checks } = await limited.service.command<DoctorReport>(['doctor']);
  expect(checks).toContainEqual(expect.objectContaining({ name: 'limits', state: 'ok' }));
}

test('limits created or changed during many calls count each call once', async () => {
  const seed = seedOfRun();
  await load(limited, seed, 5, FAULTS, TAGS);
  const calls = load(limited, seed + 1, CALLS, FAULTS, TAGS);
  const limits = await Promise.all(LIMITS.map((fields) => limited.manage<LimitShape>('POST', '/limits', fields)));
  const [first] = limits;
  await limited.manage('PATCH', `/limits/${first?.id}`, { window: 'month' });
  await calls;
  await load(limited, seed + 2, 5, FAULTS, TAGS);
  await expectAllCounted(limits);
});

test('a limit set right before a crash counts earlier calls and those that the crash cut off', async () => {
  const seed = seedOfRun();
  await load(limited, seed, CALLS, FAULTS, TAGS);
  const cut = load(limited, seed + 1, CALLS, FAULTS, TAGS);
  const limits = await Promise.all(LIMITS.map((fields) => limited.manage<LimitShape>('POST', '/limits', fields)));
  await limited.killAndStart();
  await cut;
  await expectAllCounted(limits);
});
