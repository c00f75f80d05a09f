import { expect, onTestFinished, test, vi } from 'vitest';
import { entryOf, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { temporaryClickhouse } from '../../../test/support/clickhouse.ts';
import { startClickhouse } from '../../../test/support/clickhouse-server.ts';
import { append, WORKSPACE } from '../../../test/support/filled-store.ts';
import { temporaryDatabase } from '../../../test/support/postgres.ts';
import { LEDGER_TEMPLATE } from '../../../test/support/temporary-records.ts';
import type { StorageEngine } from '../engine.ts';
import { openEngine } from '../open.ts';

// Engines start slowly beside other tests.
vi.setConfig({ testTimeout: 180_000 });

async function openBoth(databaseUrl: string, clickhouseUrl: string | null): Promise<StorageEngine> {
  const engine = await openEngine({ databaseUrl, clickhouseUrl, file: '', synchronous: 'normal' });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await engine.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { ...engine, close };
}

async function countCalls({ store }: StorageEngine): Promise<number> {
  return (await store.reports.summary(WORKSPACE, WHOLE)).total.calls;
}

test('calls stay in ClickHouse between openings, and no other setting hides them', async () => {
  const [postgres, clickhouse] = [await temporaryDatabase(LEDGER_TEMPLATE), await temporaryClickhouse()];
  const first = await openBoth(postgres, clickhouse);
  await append(first.store, [entryOf('a'), entryOf('b')]);
  await first.close();
  const second = await openBoth(postgres, clickhouse);
  expect(await append(second.store, [entryOf('b'), entryOf('c')], 2)).toBe(1);
  expect(await countCalls(second)).toBe(3);
  await second.close();
  await expect(openBoth(postgres, null)).rejects.toThrow('Set SVC_CLICKHOUSE_URL');
  await expect(openBoth(postgres, await temporaryClickhouse())).rejects.toThrow('SVC_CLICKHOUSE_URL is empty');
});

test('a database of another ledger is refused, and so is a ledger with calls in PostgreSQL', async () => {
  const clickhouse = await temporaryClickhouse();
  const first = await openBoth(await temporaryDatabase(LEDGER_TEMPLATE), clickhouse);
  await first.close();
  const other = await temporaryDatabase(LEDGER_TEMPLATE);
  await expect(openBoth(other, clickhouse)).rejects.toThrow('has the calls of another ledger');
  const before = await temporaryDatabase(LEDGER_TEMPLATE);
  const plain = await openBoth(before, null);
  await append(plain.store, [entryOf('a')]);
  await plain.close();
  const moved = openBoth(before, await temporaryClickhouse());
  await expect(moved).rejects.toThrow('The calls of this ledger are in PostgreSQL');
});

test('a wrong address is refused with what to do, without its password', async () => {
  const postgres = await temporaryDatabase(LEDGER_TEMPLATE);
  const missing = Object.assign(new URL(await temporaryClickhouse()), { pathname: '/missing' }).href;
  await expect(openBoth(postgres, missing)).rejects.toThrow('has no database of the name in SVC_CLICKHOUSE_URL');
  for (const address of ['clickhouse://me:secret@host/tollbook', 'http://me:secret@host:8123/', 'host']) {
    await expect(openBoth(postgres, address)).rejects.toThrow(/^SVC_CLICKHOUSE_URL .+ http:\/\//);
    await expect(openBoth(postgres, address)).rejects.not.toThrow(/secret/);
  }
  const alone = openEngine({ databaseUrl: null, clickhouseUrl: 'http://h/d', file: '', synchronous: 'normal' });
  await expect(alone).rejects.toThrow('Set SVC_DATABASE_URL');
});

test('a ledger opens without ClickHouse, and takes calls when it is there', async () => {
  const server = await startClickhouse();
  onTestFinished(() => server.stop());
  await server.crash();
  const engine = await openBoth(await temporaryDatabase(LEDGER_TEMPLATE), server.url);
  await expect(append(engine.store, [entryOf('a')])).rejects.toThrow("ClickHouse can't be reached");
  expect(await engine.store.entries.mark('journal')).toBe(0);
  const away = await engine.check(Date.now);
  expect(away.find(({ name }) => name === 'clickhouse')).toMatchObject({ state: 'failed' });
  await server.start();
  expect(await append(engine.store, [entryOf('a')])).toBe(1);
  await server.crash();
  await expect(engine.store.reports.entry(WORKSPACE, 'a')).rejects.toMatchObject({ type: 'unavailable' });
  await server.start();
  expect(await engine.store.reports.entry(WORKSPACE, 'a')).toMatchObject({ entry: { callId: 'a' } });
});

test('the doctor names version, size, free disk space and waiting corrections', async () => {
  const engine = await openBoth(await temporaryDatabase(LEDGER_TEMPLATE), await temporaryClickhouse());
  await append(engine.store, [entryOf('a')]);
  const checks = (await engine.check(Date.now)).filter(({ name }) => name.startsWith('clickhouse'));
  expect(checks).toMatchObject([
    {
      name: 'clickhouse',
      state: 'ok',
      message: expect.stringMatching(/^ClickHouse \d+\.\d+.* has 1 rows in 0\.0 GiB/),
    },
    { name: 'clickhouse disk', message: expect.stringMatching(/GiB of free disk space/) },
    { name: 'clickhouse lag', state: 'ok' },
  ]);
  await expect(engine.backup('')).rejects.toThrow('BACKUP DATABASE');
});
