import { expect, onTestFinished, test } from 'vitest';
import { temporaryDatabase } from '../../../test/support/postgres.ts';
import { checkClock, checkDurability, checkStandby, inspectServer, type ServerReport } from './inspect-server.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { PostgresPool } from './postgres-pool.ts';
import { systemClock } from '../../lib/clock.ts';
import type { StorageCheck } from '../engine.ts';

const SOUND: ServerReport = {
  version: '15.4',
  connectionsMax: 100,
  connectionsReserved: 3,
  fsync: 'on',
  fullPageWrites: 'on',
  synchronousCommit: 'on',
  synchronousStandbys: '',
  standbys: 0,
  now: 0,
};

async function inspect(url: string, poolMax = 10): Promise<StorageCheck[]> {
  const pool = new PostgresPool(parsePostgresAddress(url), { connectionsMax: 1 });
  onTestFinished(() => pool.close());
  return await inspectServer(pool, poolMax, systemClock);
}

test('a server is checked for its connections, its durability, its standbys and its clock', async () => {
  const checks = await inspect(await temporaryDatabase());
  expect(checks.map(({ name }) => name)).toEqual(['database', 'durability', 'standby', 'database clock']);
  expect(checks[0]?.message).toMatch(
    /^PostgreSQL \d+\.\d+.* answers in \d+ ms\. Tollbook opens at most 12 of its \d+ connections\.$/,
  );
  expect(checks.filter(({ name }) => name !== 'durability').every(({ state }) => state === 'ok')).toBe(true);
});

test('a pool larger than what the server has is a warning', async () => {
  const [check] = await inspect(await temporaryDatabase(), 5_000);
  expect(check).toMatchObject({ state: 'warning', message: expect.stringContaining('lower SVC_DATABASE_POOL') });
});

test.each([
  [{ fsync: 'off' }, 'fsync is off'],
  [{ fullPageWrites: 'off' }, 'full_page_writes is off'],
  [{ synchronousCommit: 'off' }, 'synchronous_commit is off'],
])('settings that lose commits are a warning: %j', (changes, message) => {
  expect(checkDurability({ ...SOUND, ...changes })).toMatchObject({
    state: 'warning',
    message: expect.stringContaining(message),
  });
});

test('standbys are a warning unless one confirms each commit', () => {
  const asked = { ...SOUND, standbys: 1, synchronousStandbys: 'two' };
  expect(checkDurability(SOUND).state).toBe('ok');
  expect(checkStandby(SOUND).state).toBe('ok');
  expect(checkStandby(asked).state).toBe('ok');
  expect(checkStandby({ ...asked, standbys: 0 }).message).toContain('changes wait for it');
  expect(checkStandby({ ...asked, synchronousStandbys: '' }).state).toBe('warning');
  expect(checkStandby({ ...asked, synchronousCommit: 'local' }).state).toBe('warning');
});

test('clocks that differ by more than five seconds are a warning', () => {
  expect(checkClock(-4_999).state).toBe('ok');
  expect(checkClock(7_000).message).toContain('7 s ahead of the one here');
  expect(checkClock(-7_000).message).toContain('7 s behind the one here');
});
