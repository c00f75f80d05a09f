import { afterEach, beforeEach, expect, test } from 'vitest';
import { addPerson, claimLedger, PASSWORD } from '../../test/people.ts';
import { runLine, wideLines } from '../../test/run-line.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { CreatedInvitation, InvitationShape, MemberShape } from '../contract/accounts.ts';

let it: TestLedger;
beforeEach(async () => {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
});
afterEach(() => it.close());

/** Opens the folder itself, as a command does where no service runs. */
async function run(line: string, stdin?: string): Promise<string> {
  const ran = await runLine(line, { env: it.env, ...(stdin !== undefined && { stdin }) });
  const wide = line.includes('--json') ? [] : wideLines(ran);
  expect({ line, code: ran.code, wide }).toEqual({ line, code: 0, wide: [] });
  return ran.out;
}

test('the folder owner can create the link of the first owner, and no other after that', async () => {
  await it.ledger.close();
  expect(await run('claim')).toMatch(/http:\/\/localhost:4700\/claim#[\w-]{43}\n/);
  expect(await run('users list')).toContain('tollbook claim');
});

test('people are listed, given roles, signed out with a new password, and removed', async () => {
  const owner = await claimLedger(it);
  const mira = await addPerson(it, 'Mira', 'viewer');
  await it.ledger.close();
  expect((await runLine('claim', { env: it.env })).err).toContain('has an owner');
  expect(await run('members list')).toMatch(/owner +Olga +olga@example\.com/);
  expect(await run(`members set-role ${mira.email} admin`)).toContain(
    'Mira <mira@example.com> now has the role admin.',
  );
  const members = JSON.parse(await run('members list --json')) as MemberShape[];
  expect(members.find(({ userId }) => userId === mira.id)?.role).toBe('admin');
  expect(await run(`users reset-password ${owner.email}`)).toMatch(/not shown again:\n\n {2}[\w-]{20}\n/);
  expect(await run(`users reset-password ${mira.id} --stdin`, PASSWORD)).not.toContain(PASSWORD);
  expect(await run(`members remove ${mira.email}`)).toContain('removed');
  expect(await run('users list')).toMatch(/Mira +mira@example\.com +none/);
  expect(await run(`users remove ${mira.email}`)).toContain('removed');
  expect((await runLine('users remove nobody@example.com', { env: it.env })).err).toContain('There is no user');
  // The way back for who locked themselves out: without an owner there is a new first one.
  await run(`users remove ${owner.email}`);
  expect(await run('claim')).toContain('/claim#');
});

test('an invitation is created, listed and revoked, and its link is shown once', async () => {
  await it.ledger.close();
  const made = JSON.parse(
    await run('invitations create --role admin --email a@example.com --json'),
  ) as CreatedInvitation;
  expect(made.link).toMatch(/\/join#[\w-]{43}$/);
  expect(await run('invitations create')).toContain(
    'Invitation for the first person who opens it as viewer, valid until',
  );
  const list = await run('invitations list --json');
  expect(list).not.toContain(made.link.split('#')[1]);
  expect((JSON.parse(list) as InvitationShape[]).map(({ role }) => role).toSorted()).toEqual(['admin', 'viewer']);
  expect(await run(`invitations revoke ${made.id}`)).toContain('revoked');
  expect(await run('invitations list')).not.toContain(made.id);
  expect(await run('invitations list --all')).toMatch(/admin +revoked/);
});
