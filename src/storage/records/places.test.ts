import { expect, test } from 'vitest';
import { openTemporaryRecords, TEST_NOW, TEST_SECRET } from '../../../test/support/temporary-records.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import { openRecords, type Records } from './records.ts';

const OWNER = 'owner';

/** Records of two nodes on one database. */
async function openTwo(): Promise<[Records, Records]> {
  const { db, dataDir } = await openTemporaryRecords();
  const options = { db, dataDir, secret: TEST_SECRET, clock: () => TEST_NOW };
  return [
    await openRecords({ ...options, place: 'east /data' }),
    await openRecords({ ...options, place: 'west /data' }),
  ];
}

test('each node knows its own journal, and gives up only that', async () => {
  const [east, west] = await openTwo();
  await east.journal.adopt('j_east');
  expect(await west.journal.last()).toBeNull();
  await west.journal.adopt('j_west');
  await west.journal.noteEnd({ journalId: 'j_west', segment: 1, offset: 2 });
  await east.journal.renew(OWNER);
  expect(await east.journal.last()).toBeNull();
  expect(await west.journal.last()).toBe('j_west');
});

test('the notes of a node are deleted when it is forgotten, and those of others stay', async () => {
  const [east, west] = await openTwo();
  const version = '1.0.0';
  for (const [records, id] of [
    [east, 'j_east'],
    [west, 'j_west'],
  ] as const) {
    await records.journal.adopt(id);
    await records.journal.noteEnd({ journalId: id, segment: 1, offset: 2 });
  }
  await east.nodes.start({ id: 'j_east', name: 'east', version }, TEST_NOW);
  await west.nodes.start({ id: 'j_west', name: 'west', version }, TEST_NOW + 91 * DAY_MS);
  expect(await east.journal.last()).toBeNull();
  expect(await west.journal.last()).toBe('j_west');
});

test('the owner link of one node works although another has started since, and one owner ends all links', async () => {
  const [east, west] = await openTwo();
  const link = await east.users.offerClaim('system');
  const other = await west.users.offerClaim('system');
  for (const code of [link, other]) expect(await west.users.takesClaim(code)).toBe(true);
  expect(await west.users.takesClaim('east /data')).toBe(false);
  await west.users.claim(link, { name: 'A', email: 'a@example.com', passwordHash: 'hash' });
  for (const code of [link, other]) expect(await east.users.takesClaim(code)).toBe(false);
});
