import { expect, test } from 'vitest';
import { ENGINE, execute, openTemporaryRecords } from '../../../test/support/temporary-records.ts';
import type { RecordDb } from './tables.ts';

const person = (name: string) => ({ name, email: `${name}@example.com`, passwordHash: 'hash' });

test('frequent sign-ins keep a limited number of sessions, and no expired one', async () => {
  const { records, db, time } = await openTemporaryRecords();
  const user = await records.users.claim(await records.users.offerClaim('system'), person('ada'));
  const text = (at: number): string => new Date(at).toISOString();
  const rows = Array.from({ length: 60 }, (_, at) => ({
    id: `ses_${at}`,
    user_id: user.id,
    token: `token ${at}`,
    // The first one is over, though it is the newest.
    expires_at: text(at === 0 ? time.now : time.now + 1_000_000),
    ip_address: null,
    user_agent: null,
    created_at: text(time.now + (at === 0 ? 100 : at)),
    updated_at: text(time.now),
  }));
  await db.insertInto('user_sessions').values(rows).execute();
  await records.users.tidySessions(user.id);
  const left = await records.users.sessions(user.id);
  expect(left).toHaveLength(50);
  expect([left[0]?.id, left.at(-1)?.id]).toEqual(['ses_59', 'ses_10']);
});

test('of two concurrent claims one creates the owner', async () => {
  const { records } = await openTemporaryRecords();
  const code = await records.users.offerClaim('system');
  const both = await Promise.allSettled(['ada', 'bob'].map((name) => records.users.claim(code, person(name))));
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await records.users.list()).toHaveLength(1);
});

test('of two concurrent acceptances of an invitation one creates a member, and the other leaves no account', async () => {
  const { records, time } = await openTemporaryRecords();
  const { code } = await records.invitations.create(
    { workspaceId: 'ws_default', role: 'viewer', email: null, expiresAt: time.now + 1_000 },
    { actor: 'owner', role: null },
  );
  await Promise.allSettled(['ada', 'bob'].map((name) => records.invitations.accept(code, person(name))));
  expect(await records.users.list()).toHaveLength(1);
  expect(await records.members.list('ws_default')).toHaveLength(1);
});

test('of two owners who remove each other concurrently one stays', async () => {
  const { records, time } = await openTemporaryRecords();
  const ada = await records.users.claim(await records.users.offerClaim('system'), person('ada'));
  const { code } = await records.invitations.create(
    { workspaceId: 'ws_default', role: 'owner', email: null, expiresAt: time.now + 1_000 },
    { actor: 'owner', role: null },
  );
  const bob = await records.invitations.accept(code, person('bob'));
  const by = (actor: string) => ({ actor, role: 'owner' as const });
  await Promise.allSettled([
    records.members.remove('ws_default', ada.id, by(bob.id)),
    records.members.remove('ws_default', bob.id, by(ada.id)),
  ]);
  expect(await records.members.list('ws_default')).toHaveLength(1);
});

test('of two concurrent password changes the second changes nothing', async () => {
  const { records } = await openTemporaryRecords();
  const { id } = await records.users.claim(await records.users.offerClaim('system'), person('ada'));
  const change = (to: string) => records.users.changePassword(id, { from: 'hash', to, endSessions: true });
  const both = await Promise.allSettled([change('first'), change('second')]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(await records.users.passwordHash(id)).toBe('first');
});

test('refusing an unknown e-mail writes as much, and leaves the log unchanged', async () => {
  const { records, db } = await openTemporaryRecords();
  await records.users.claim(await records.users.offerClaim('system'), person('ada'));
  const written = async (email: string): Promise<number> => {
    const before = await changes(db);
    await records.users.noteRefusal(email, '192.0.2.1');
    return (await changes(db)) - before;
  };
  expect(await written('nobody@example.com')).toBeGreaterThan(0);
  expect(await records.audit.verify()).toEqual({ ok: true, rows: 2 });
  expect(await written('ada@example.com')).toBeGreaterThan(0);
  expect(await records.audit.verify()).toEqual({ ok: true, rows: 3 });
});

/** Grows with each change of the end of the audit log. */
async function changes(db: RecordDb): Promise<number> {
  const counts = {
    sqlite: 'SELECT total_changes() AS n',
    postgres: 'SELECT max(xmin::text::bigint) AS n FROM settings',
  };
  const [row] = await execute(db, counts[ENGINE]);
  return Number(row?.['n']);
}

test('every change of people is one link of the audit chain', async () => {
  const { records } = await openTemporaryRecords();
  const ada = await records.users.claim(await records.users.offerClaim('system'), person('ada'));
  await records.users.setPassword(ada.id, 'another', 'owner');
  await records.users.endSessions(ada.id);
  await records.users.rename(ada.id, 'Ada King');
  await records.users.remove(ada.id, 'owner');
  const rows = await records.audit.list({ workspaceId: null, limit: 9, before: null });
  expect(rows.map(({ action }) => action).toReversed()).toEqual([
    'claim.offer',
    'claim.accept',
    'user.reset_password',
    'user.end_sessions',
    'user.rename',
    'user.remove',
  ]);
  expect(await records.audit.verify()).toEqual({ ok: true, rows: 6 });
});
