import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entryOf, WHOLE } from './contract/arbitrary-entry.ts';
import { openStore } from './open.ts';

test('a file holds its book from one opening to the next', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-open-'));
  const file = join(folder, 'book.db');
  const first = openStore({ file });
  await first.entries.append({ journalId: 'journal', mark: 4, entries: [entryOf('a')] });
  await first.close();
  const second = openStore({ file });
  expect(await second.entries.mark('journal')).toBe(4);
  expect((await second.reports.summary('ws_default', WHOLE)).total.calls).toBe(1);
  expect(await second.entries.append({ journalId: 'journal', mark: 4, entries: [entryOf('a')] })).toMatchObject({
    inserted: 0,
  });
  await second.close();
  rmSync(folder, { recursive: true });
});

test('an address that no engine serves is refused with what to do, without its password', () => {
  for (const address of [
    'postgres://me:secret@db/book',
    'clickhouse://db',
    'mysql:book',
    'sqlite:/var/book.db',
    'book.db',
    '',
  ]) {
    expect(() => openStore(address)).toThrow(/leave SVC_DATABASE_URL out/);
    expect(() => openStore(address)).not.toThrow(/secret/);
  }
});
