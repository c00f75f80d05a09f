import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { entryOf, WHOLE } from '../../test/support/arbitrary-entry.ts';
import { openEngine } from './open.ts';

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-open-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'ledger.db');
}

test('a database file keeps its ledger between openings, readable by its owner only', async () => {
  const options = { databaseUrl: null, file: newFile(), synchronous: 'normal' } as const;
  const first = await openEngine(options);
  await first.store.entries.append({ journalId: 'journal', mark: 4, entries: [entryOf('a')] });
  await first.close();
  if (process.platform !== 'win32') expect(statSync(options.file).mode & 0o077).toBe(0);
  const second = await openEngine(options);
  const { entries, reports } = second.store;
  expect(await entries.mark('journal')).toBe(4);
  expect((await reports.summary('ws_default', WHOLE)).total.calls).toBe(1);
  expect(await entries.append({ journalId: 'journal', mark: 4, entries: [entryOf('a')] })).toMatchObject({
    inserted: 0,
  });
  await second.close();
});

test.each(['clickhouse://me:secret@db/book', 'mysql:book', 'sqlite:/var/ledger.db', 'ledger.db', ''])(
  'an unsupported address is refused with what to do, without its password: %s',
  async (databaseUrl) => {
    const opened = openEngine({ databaseUrl, file: newFile(), synchronous: 'normal' });
    await expect(opened).rejects.toThrow(/Without SVC_DATABASE_URL/);
    await expect(opened).rejects.not.toThrow(/secret/);
  },
);
