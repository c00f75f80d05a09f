import { expect, test } from 'vitest';
import type { TollbookError } from '../../domain/errors.ts';
import { BodyBudget, type BodyHolder, BodyLease } from './body-budget.ts';

const MIB = 1_048_576;
const LIMITS = { bodiesInMemoryBytesMax: 256 * MIB, bodyBytesPerSecondMin: 16_384 };

function holder(name: string): BodyHolder {
  return { name, bodyBytes: 0 };
}

/** A body that is being read; `cut` is why it was given up. */
class Body {
  readonly lease: BodyLease;
  cut: TollbookError | null = null;

  constructor(budget: BodyBudget, key: BodyHolder, client: BodyHolder | null = null) {
    this.lease = new BodyLease(budget, key, client);
    this.lease.watch((error) => {
      this.cut = error;
      this.lease.end();
    });
  }

  /** Null = there was room. */
  take(bytes: number): string | null {
    return this.lease.take(bytes)?.type ?? null;
  }
}

/** Takes until it is refused. */
function fill(budget: BodyBudget, key: BodyHolder, client: BodyHolder | null = null): void {
  for (;;) if (new Body(budget, key, client).take(MIB) !== null) return;
}

test('one key never holds more than half, and the next key finds room', () => {
  const budget = new BodyBudget(LIMITS);
  const hog = holder('hog');
  fill(budget, hog);
  expect(hog.bodyBytes).toBe(128 * MIB);
  expect(new Body(budget, hog).take(MIB)).toBe('in_flight');
  expect(new Body(budget, holder('victim')).take(32 * MIB)).toBeNull();
});

test('several keys that take as much as they can leave room for a key that holds nothing', () => {
  const budget = new BodyBudget(LIMITS);
  for (let turn = 0; turn < 6; turn += 1) {
    fill(budget, holder(`hog ${turn}`));
    const victim = new Body(budget, holder('victim'));
    expect(victim.take(MIB)).toBeNull();
    victim.lease.end();
  }
});

test('one address with many keys never holds more than three quarters', () => {
  const budget = new BodyBudget(LIMITS);
  const client = holder('192.0.2.1');
  for (let turn = 0; turn < 20; turn += 1) fill(budget, holder(`key ${turn}`), client);
  expect(client.bodyBytes).toBeLessThanOrEqual(192 * MIB);
  expect(new Body(budget, holder('victim'), holder('192.0.2.2')).take(16 * MIB)).toBeNull();
});

test('a large body that is too slow for ten seconds is refused, and its memory is freed', () => {
  const budget = new BodyBudget(LIMITS);
  const stalled = new Body(budget, holder('key'));
  stalled.take(32 * MIB);
  for (const uptime of [0, 4_999, 5_000, 9_999]) budget.sweep(uptime);
  expect(stalled.cut).toBeNull();
  budget.sweep(10_000);
  expect(stalled.cut).toMatchObject({ status: 408, message: expect.stringContaining('16 KiB a second') as string });
  expect(budget.bytes).toBe(0);
});

test('an uplink of 131 kbit/s is fast enough, even with one pause of five seconds', () => {
  const budget = new BodyBudget(LIMITS);
  const slow = new Body(budget, holder('key'));
  slow.take(MIB);
  for (let second = 0; second <= 300; second += 1) {
    budget.sweep(second * 1_000);
    if (second < 100 || second >= 105) slow.take(16_384);
  }
  expect(slow.cut).toBeNull();
});

test('a small body may be slow', () => {
  const budget = new BodyBudget(LIMITS);
  const small = new Body(budget, holder('key'));
  small.take(65_536);
  for (let second = 0; second <= 300; second += 1) budget.sweep(second * 1_000);
  expect(small.cut).toBeNull();
});

/** Bodies of one key each that brought as much as is said in the last five seconds. */
function withRates(budget: BodyBudget, key: BodyHolder, rates: readonly number[]): Body[] {
  const bodies = rates.map(() => new Body(budget, key));
  for (const body of bodies) body.take(20 * MIB);
  budget.sweep(0);
  bodies.forEach((body, index) => body.take((rates[index] ?? 0) * 5));
  budget.sweep(5_000);
  return bodies;
}

test('a key without room left loses its slowest bodies to faster ones', () => {
  const budget = new BodyBudget(LIMITS);
  const key = holder('key');
  const [fast, slowest, slow] = withRates(budget, key, [90_000, 20_000, 30_000, 80_000, 70_000]);
  const fresh = new Body(budget, key);
  expect(fresh.take(32 * MIB)).toBeNull();
  expect(slowest?.cut).toMatchObject({ status: 503 });
  expect([fast?.cut, slow?.cut]).toEqual([null, null]);
  expect(fresh.take(30 * MIB)).toBeNull();
  expect(slow?.cut).not.toBeNull();
  expect(fast?.cut).toBeNull();
});

test('a key that holds much takes nothing from a key that holds little, however slow that is', () => {
  const budget = new BodyBudget(LIMITS);
  const [poor] = withRates(budget, holder('poor'), [1]);
  const rich = holder('rich');
  fill(budget, rich);
  expect(new Body(budget, rich).take(MIB)).toBe('in_flight');
  expect(poor?.cut).toBeNull();
});

test('a key that holds little replaces the slowest bodies of a key that holds much', () => {
  const budget = new BodyBudget({ ...LIMITS, bodiesInMemoryBytesMax: 90 * MIB });
  const [slow] = withRates(budget, holder('rich'), [1, 90_000]);
  const poor = new Body(budget, holder('poor'));
  expect(poor.take(30 * MIB)).toBeNull();
  expect(slow?.cut).toMatchObject({ status: 503 });
});

test('a lease returns its bytes once', () => {
  const budget = new BodyBudget(LIMITS);
  const [key, client] = [holder('key'), holder('192.0.2.1')];
  const body = new Body(budget, key, client);
  body.take(MIB);
  body.lease.end();
  body.lease.end();
  expect([budget.bytes, key.bodyBytes, client.bodyBytes]).toEqual([0, 0, 0]);
});
