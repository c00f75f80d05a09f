import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADMIN_KEY, Organization, serveOrganization } from '../../test/doubles/admin-api.ts';
import { runLine, wideLines } from '../../test/run-line.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { AdminKeyShape } from '../contract/admin-keys.ts';

let it: TestLedger;
let server: Awaited<ReturnType<typeof serveOrganization>>;

beforeEach(async () => {
  server = await serveOrganization(new Organization({ provider: 'anthropic' }));
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent', SVC_ANTHROPIC_URL: server.url });
  // Commands open the folder themselves.
  await it.ledger.close();
});
afterEach(async () => {
  await it.close();
  await server.close();
});

const run = (line: string, stdin = '') => runLine(line, { env: { ...it.env, ADMIN: ADMIN_KEY }, stdin });

test('an admin key is added, listed, paused, resumed and removed', async () => {
  const empty = await run('admin-keys list');
  expect(empty.out).toContain('admin-keys add --provider anthropic --name main --key-stdin');
  const added = await run(
    "admin-keys add --provider anthropic --name 'a name that is rather long for a table' --key-stdin",
    `${ADMIN_KEY}\n`,
  );
  expect(added.out).toMatch(/syncs the reports of Double at anthropic\.\n0 of 365 days/);
  const { out } = await run('admin-keys list --json');
  const [{ id } = { id: '' }] = JSON.parse(out) as AdminKeyShape[];
  const list = await run('admin-keys list');
  expect(list.out).toMatch(/ak_\w+ .*reading.* 0\/365.*\n {2}anthropic {2}Double\n/);
  const paused = await run(`admin-keys pause ${id}`);
  expect(paused.out).toContain(`It is paused.\nResume it: tollbook admin-keys resume ${id}`);
  expect((await run(`admin-keys sync ${id}`)).err).toContain('is paused');
  expect((await run(`admin-keys resume ${id}`)).out).toContain('0 of 365 days');
  const synced = await run(`admin-keys sync ${id}`);
  expect(synced.out).toContain('The service is not running');
  for (const ran of [empty, added, list, paused, synced]) expect(wideLines(ran)).toEqual([]);
  expect((await run(`admin-keys remove ${id}`)).out).toBe(`Admin key ${id} deleted.\n`);
  const audit = await run('audit');
  expect(audit.out).toMatch(/admin_key\.remove[\s\S]*admin_key\.resume[\s\S]*admin_key\.pause[\s\S]*admin_key\.create/);
  for (const ran of [added, list, paused, audit]) expect(`${ran.out}${ran.err}`).not.toContain('of-the-double');
});

test('an organization that another workspace also reads is reported as counted in both', async () => {
  const note = 'Another workspace syncs the same organization';
  await run('admin-keys add --provider anthropic --name main --key-stdin', ADMIN_KEY);
  expect((await run('admin-keys list')).out).not.toContain(note);
  const { id } = JSON.parse((await run('workspaces create other --json')).out) as { id: string };
  const added = await run(`admin-keys add --provider anthropic --name too --key-stdin --workspace ${id}`, ADMIN_KEY);
  for (const { out } of [added, await run('admin-keys list')]) expect(out).toContain(note);
});

test('the key is read from standard input or the environment, never from the command line', async () => {
  for (const [line, sentence] of [
    ['', '--key-stdin'],
    ['--key-stdin --key-env ADMIN', 'Use --key-stdin or'],
    ['--key-env ABSENT', 'ABSENT is not set'],
    ['--key-stdin', 'empty'],
  ]) {
    const { code, err } = await run(`admin-keys add --provider anthropic --name main ${line}`);
    expect([code, err]).toEqual([1, expect.stringContaining(sentence ?? '')]);
  }
  const added = await run('admin-keys add --provider anthropic --name main --key-env ADMIN --json');
  expect(JSON.parse(added.out)).toMatchObject({ name: 'main', lastFour: '6789' });
});

test('coverage needs an admin key and days that were read', async () => {
  expect((await run('reconcile')).out).toContain('No admin keys yet');
  await run('admin-keys add --provider anthropic --name main --key-stdin', `${ADMIN_KEY}\n`);
  expect((await run('reconcile --from 2026-03-01 --to 2026-03-02')).out).toBe(
    'main: none of these days is synced yet.\n',
  );
  expect((await run('reconcile --from 2026-01-01 --to 2026-03-02')).err).toContain('longer than 31 days');
});
