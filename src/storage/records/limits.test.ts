import { expect, test } from 'vitest';
import type { LimitScope } from '../../domain/limits/limit.ts';
import {
  execute,
  newKey,
  newLimit,
  openTemporaryRecords,
  type TemporaryRecords,
} from '../../../test/support/temporary-records.ts';
import type { Records } from './records.ts';
import { DEFAULT_WORKSPACE } from './context.ts';
import type { NewLimit } from './check-limit.ts';

async function actions({ audit }: Records): Promise<string[]> {
  const rows = await audit.list({ workspaceId: DEFAULT_WORKSPACE, limit: 100, before: null });
  return rows.map(({ action }) => action).toReversed();
}

/** Many limits that nobody made one by one. */
async function insertMany({ db }: TemporaryRecords, count: number, scopeOf: (n: number) => LimitScope): Promise<void> {
  const common = { workspace_id: 'ws_default', unit: 'usd', amount: 5, window: 'day', action: 'block', label: null };
  const rest = { thresholds: '[50]', uncertain: '"keep"', backfilled: 1, raise: null, counts_observed: 0 };
  const rows = Array.from({ length: count }, (_, n) => {
    const scope = { kind: scopeOf(n).kind, scope: JSON.stringify(scopeOf(n)) };
    return {
      id: `many_${String(n).padStart(6, '0')}`,
      counter: 1_000_000 + n,
      created_at: n,
      ...scope,
      ...common,
      ...rest,
    };
  });
  await db.transaction().execute(async (tx) => {
    for (let at = 0; at < count; at += 1_000)
      await tx
        .insertInto('limits')
        .values(rows.slice(at, at + 1_000))
        .execute();
  });
}

test('a new limit is returned unchanged, with the time zones of its workspace', async () => {
  const { records } = await openTemporaryRecords();
  const { key } = await records.keys.create(newKey('one'), 'owner');
  const input = newLimit({
    scope: { kind: 'key', keyId: key.id },
    uncertain: { releaseAfterMs: 60_000 },
    label: 'dev',
  });
  const limit = await records.limits.create(input, 'owner');
  expect(limit).toMatchObject({ ...input, raise: null, countsPast: false, zones: [{ zone: 'UTC', since: 0 }] });
  expect(await records.limits.get(DEFAULT_WORKSPACE, limit.id)).toEqual(limit);
  expect(await records.limits.list(DEFAULT_WORKSPACE)).toEqual([limit]);
  expect(await records.limits.all()).toEqual([limit]);
  expect(await records.limits.byCounter(limit.counter)).toEqual(limit);
  expect(await records.limits.byCounter(limit.counter + 1)).toBeNull();
});

test('limits that release uncertain amounts are listed without the others', async () => {
  const { records } = await openTemporaryRecords();
  await records.limits.create(newLimit(), 'owner');
  const releasing = newLimit({ window: 'hour', uncertain: { releaseAfterMs: 60_000 } });
  expect([await records.limits.create(releasing, 'owner')]).toEqual(await records.limits.releasing());
});

test('a change of scope, unit or window gives a limit new counters, and no counter is reused', async () => {
  const { records } = await openTemporaryRecords();
  const { limits } = records;
  const first = await limits.create(newLimit(), 'owner');
  await limits.markBackfilled(first.counter);
  const update = (change: Partial<NewLimit>) => limits.update(DEFAULT_WORKSPACE, first.id, change, 'owner');
  expect(await update({ amount: 0, action: 'warn', thresholds: [], label: 'x', uncertain: 'keep' })).toMatchObject({
    counter: first.counter,
    countsPast: true,
  });
  const counters = [first.counter];
  for (const change of [
    { window: 'week' },
    { scope: { kind: 'provider', provider: 'openai' } },
    { unit: 'tokens', amount: 7 },
    { window: 'day' },
  ] as const) {
    const changed = await update(change);
    expect(changed.countsPast).toBe(false);
    expect(counters).not.toContain(changed.counter);
    counters.push(changed.counter);
    await limits.markBackfilled(changed.counter);
  }
  await limits.remove(DEFAULT_WORKSPACE, first.id, 'owner');
  expect(counters).not.toContain((await limits.create(newLimit(), 'owner')).counter);
});

test('every change of a limit is in the audit log, and saving the same values is not', async () => {
  const { records } = await openTemporaryRecords();
  const { limits } = records;
  const { id, counter } = await limits.create(newLimit(), 'ada');
  await limits.update(DEFAULT_WORKSPACE, id, { amount: 9 }, 'ada');
  await limits.update(DEFAULT_WORKSPACE, id, { amount: 9 }, 'ada');
  await limits.raise(DEFAULT_WORKSPACE, id, { amount: 10, until: 2_000_000_000_000 }, 'ada');
  await limits.markBackfilled(counter);
  await limits.raise(DEFAULT_WORKSPACE, id, null, 'ada');
  await limits.remove(DEFAULT_WORKSPACE, id, 'ada');
  expect(await actions(records)).toEqual([
    'limit.create',
    'limit.update',
    'limit.raise',
    'limit.raise',
    'limit.remove',
  ]);
  const [removed, lowered] = await records.audit.list({ workspaceId: DEFAULT_WORKSPACE, limit: 2, before: null });
  expect(removed).toMatchObject({ subject: id, before: { amount: 9, raise: null }, after: null });
  expect(lowered).toMatchObject({ before: { raise: { amount: 10 } }, after: { raise: null } });
});

test('a second limit of the same kind is a conflict, also if an edited one becomes it', async () => {
  const { records } = await openTemporaryRecords();
  const { limits } = records;
  const tag = (key: string): NewLimit => newLimit({ scope: { kind: 'tag', key, value: 'a' } });
  await limits.create(tag('team'), 'owner');
  await expect(limits.create(tag('TEAM'), 'owner')).rejects.toMatchObject({ type: 'conflict' });
  const warning = await limits.create({ ...tag('team'), action: 'warn' }, 'owner');
  await expect(limits.update(DEFAULT_WORKSPACE, warning.id, { action: 'block' }, 'owner')).rejects.toMatchObject({
    type: 'conflict',
  });
  await limits.create({ ...tag('team'), window: 'hour' }, 'owner');
});

test.each<[string, Partial<NewLimit>]>([
  ['amount', { amount: -1 }],
  ['amount', { amount: 1.5 }],
  ['amount', { amount: 9_000_000_000_000_001 }],
  ['amount', { unit: 'calls', amount: Number.MAX_VALUE }],
  ['window', { unit: 'concurrency', window: 'day' }],
  ['window', { window: 'year' as 'day' }],
  ['unit', { unit: 'eur' as 'usd' }],
  ['action', { action: 'shout' as 'warn' }],
  ['thresholds', { thresholds: [0] }],
  ['thresholds', { thresholds: [101] }],
  ['uncertain', { uncertain: { releaseAfterMs: 1 } }],
  ['scope', { scope: { kind: 'model', pattern: '' } }],
  ['label', { label: ' ' }],
])('a limit with a bad %s is refused: %j', async (param, change) => {
  const { records } = await openTemporaryRecords();
  await expect(records.limits.create(newLimit(change), 'owner')).rejects.toMatchObject({ type: 'invalid', param });
  expect(await records.limits.all()).toEqual([]);
});

test('a raise is above the amount, ends in the future, and is removed with a change of the unit', async () => {
  const { records, time } = await openTemporaryRecords();
  const { limits } = records;
  const { id, amount } = await limits.create(newLimit(), 'owner');
  const raise = (to: number, until: number) => limits.raise(DEFAULT_WORKSPACE, id, { amount: to, until }, 'owner');
  await expect(raise(amount, time.now + 1_000)).rejects.toMatchObject({ param: 'amount' });
  await expect(raise(amount + 1, time.now)).rejects.toMatchObject({ param: 'until' });
  expect((await raise(amount + 1, time.now + 1_000)).raise?.amount).toBe(amount + 1);
  await expect(limits.update(DEFAULT_WORKSPACE, id, { unit: 'calls' }, 'owner')).rejects.toMatchObject({
    param: 'amount',
  });
  expect(await limits.update(DEFAULT_WORKSPACE, id, { unit: 'calls', amount: 3 }, 'owner')).toMatchObject({
    unit: 'calls',
    raise: null,
  });
});

test('a limit of concurrent calls has no backfill', async () => {
  const { records } = await openTemporaryRecords();
  const limit = await records.limits.create(newLimit({ unit: 'concurrency', amount: 3, window: 'total' }), 'owner');
  expect(limit.countsPast).toBe(true);
});

test('a limit needs an existing key that is not revoked', async () => {
  const { records } = await openTemporaryRecords();
  const { key } = await records.keys.create(newKey('one'), 'owner');
  const of = (keyId: string) => records.limits.create(newLimit({ scope: { kind: 'key', keyId } }), 'owner');
  await expect(of('key_absent')).rejects.toMatchObject({ type: 'not_found' });
  await records.keys.revoke(DEFAULT_WORKSPACE, key.id, 'owner');
  await expect(of(key.id)).rejects.toMatchObject({ type: 'unprocessable' });
});

test.each<[string, number, (n: number) => LimitScope, LimitScope]>([
  ['of one scope', 20, () => ({ kind: 'workspace' }), { kind: 'workspace' }],
  ['for each value', 50, (n) => ({ kind: 'each_tag', key: `k${n}` }), { kind: 'each_tag', key: 'user' }],
  ['with general patterns', 100, (n) => ({ kind: 'model', pattern: `*${n}` }), { kind: 'model', pattern: '*x*' }],
  ['for models', 1_000, (n) => ({ kind: 'model', pattern: `m${n}*` }), { kind: 'model', pattern: 'x*' }],
])('a workspace has room for so many limits %s: %d', async (_, most, scopeOf, one) => {
  const temporary = await openTemporaryRecords();
  // Several of one scope differ in their unit, window and action; the check does not ask for that.
  await execute(temporary.db, 'DROP INDEX limits_scope');
  await insertMany(temporary, most - 1, scopeOf);
  const { limits } = temporary.records;
  await limits.create(newLimit({ scope: one, unit: 'calls' }), 'owner');
  await expect(limits.create(newLimit({ scope: one, unit: 'tokens' }), 'owner')).rejects.toMatchObject({
    type: 'unprocessable',
    message: expect.stringContaining(`${most} limits`) as string,
  });
});

test('general patterns have a separate maximum, so that others have room', async () => {
  const temporary = await openTemporaryRecords();
  await insertMany(temporary, 100, (n) => ({ kind: 'model', pattern: `*${n}` }));
  const limit = newLimit({ scope: { kind: 'model', pattern: 'claude-*' } });
  await expect(temporary.records.limits.create(limit, 'owner')).resolves.toMatchObject({ scope: limit.scope });
});

test('a limit is found by its unique properties', async () => {
  const { records } = await openTemporaryRecords();
  const limit = await records.limits.create(newLimit({ scope: { kind: 'tag', key: 'team', value: 'a' } }), 'owner');
  expect(await records.limits.find(limit)).toEqual(limit);
  for (const other of [
    { workspaceId: 'ws_other' },
    { scope: { kind: 'tag', key: 'team', value: 'b' } as const },
    { unit: 'calls' as const },
    { window: 'week' as const },
    { action: 'warn' as const },
  ])
    expect(await records.limits.find({ ...limit, ...other })).toBeNull();
});

test('a hundred thousand limits are listed in one query', async () => {
  const temporary = await openTemporaryRecords();
  await insertMany(temporary, 100_000, (n) => ({ kind: 'tag', key: 'user', value: `u${n}` }));
  const limits = await temporary.records.limits.all();
  expect(limits).toHaveLength(100_000);
  expect(new Set(limits.map(({ scope }) => JSON.stringify(scope))).size).toBe(100_000);
  const page = await temporary.records.limits.page(DEFAULT_WORKSPACE, null, 2);
  const next = await temporary.records.limits.page(DEFAULT_WORKSPACE, page[1]?.id ?? '', 2);
  const ids = limits.map(({ id }) => id).toSorted();
  expect([...page, ...next].map(({ id }) => id)).toEqual(ids.slice(0, 4));
});

test('a change of the time zone reaches the limits, with its time', async () => {
  const { records, time } = await openTemporaryRecords();
  await records.limits.create(newLimit(), 'owner');
  const { workspaces } = records;
  await workspaces.update(DEFAULT_WORKSPACE, { timeZone: 'Europe/Berlin' }, 'owner');
  const since = time.now;
  await workspaces.update(DEFAULT_WORKSPACE, { timeZone: 'Europe/Berlin', name: 'x' }, 'owner');
  const [limit] = await records.limits.all();
  expect(limit?.zones).toEqual([
    { zone: 'UTC', since: 0 },
    { zone: 'Europe/Berlin', since: expect.closeTo(since, -2) as number },
  ]);
  for (let turn = 0; turn < 15; turn += 1)
    for (const timeZone of ['Asia/Kolkata', 'UTC']) await workspaces.update(DEFAULT_WORKSPACE, { timeZone }, 'owner');
  const zones = (await records.limits.list(DEFAULT_WORKSPACE))[0]?.zones ?? [];
  expect(zones).toHaveLength(20);
  expect([zones[0]?.since, zones.at(-1)?.zone]).toEqual([0, 'UTC']);
});

test('a limit created after a change of the time zone uses the new one immediately', async () => {
  const { records, time } = await openTemporaryRecords();
  const { workspaces, limits } = records;
  const old = await limits.create(newLimit(), 'owner');
  time.now += 1_000;
  await workspaces.update(DEFAULT_WORKSPACE, { timeZone: 'Europe/Berlin' }, 'owner');
  time.now += 1_000;
  const made = await limits.create(newLimit({ window: 'week' }), 'owner');
  expect(made.zones).toEqual([{ zone: 'Europe/Berlin', since: 0 }]);
  time.now += 1_000;
  await workspaces.update(DEFAULT_WORKSPACE, { timeZone: 'Asia/Tokyo' }, 'owner');
  const zonesOf = async ({ id }: { id: string }) =>
    (await limits.get(DEFAULT_WORKSPACE, id)).zones.map(({ zone }) => zone);
  expect(await zonesOf(old)).toEqual(['UTC', 'Europe/Berlin', 'Asia/Tokyo']);
  expect(await zonesOf(made)).toEqual(['Europe/Berlin', 'Asia/Tokyo']);
});

test('a clock that goes back removes no window from an existing limit', async () => {
  const { records, time } = await openTemporaryRecords();
  const made = await records.limits.create(newLimit(), 'owner');
  time.now -= 86_400_000;
  await records.workspaces.update(DEFAULT_WORKSPACE, { timeZone: 'Europe/Berlin' }, 'owner');
  expect((await records.limits.get(DEFAULT_WORKSPACE, made.id)).zones[0]?.zone).toBe('UTC');
});
