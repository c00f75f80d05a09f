import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import { type Ran, runLine, wideLines } from '../../test/run-line.ts';
import type { AlertShape } from '../contract/alerts.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';

let it: TestLedger;
let keyId: string;

beforeEach(async () => {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  keyId = (await it.createKey('search')).id;
});
afterEach(() => it.close());

const run = (line: string): Promise<Ran> => runLine(line, { env: { ...it.env, PROVIDER_KEY: 'sk-good-key-1234' } });

async function failure(line: string): Promise<string> {
  const { code, err } = await run(line);
  expect(code).toBe(1);
  return err;
}

async function lines(line: string): Promise<string[]> {
  const ran = await run(line);
  expect([ran.code, ran.err, wideLines(ran)]).toEqual([0, '', []]);
  return ran.out.trimEnd().split('\n');
}

function alertOf(title: string, message: string): Alert {
  return {
    type: 'BUDGET_EXCEEDED',
    severity: 'critical',
    workspaceId: DEFAULT_WORKSPACE,
    title,
    message,
    episode: title,
    createdAt: it.time.now,
    scope: {},
    value: null,
    threshold: null,
    period: null,
    evidence: {},
  };
}

test('an alert shows its whole title within 80 columns, and a wrapped key by its name', async () => {
  const label = 'Everything that the search team does on weekdays and at night';
  await it.ledger.records.alerts.raise(alertOf(`The limit "${label}" (user=ann) is used up`, 'It is.'));
  const message = `Presume more: tollbook policies set ${keyId} --presume USD.`;
  await it.ledger.records.alerts.raise(alertOf(`The limit of $5.00 a day for key ${keyId} is used up`, message));
  const shown = await it.json<AlertShape[]>('/api/mcp/alerts');
  const [{ id } = { id: '' }] = shown;
  expect(await it.json(`/api/mcp/alerts/${id}/read`, { method: 'POST' })).toMatchObject({ title: shown[0]?.title });
  await it.ledger.close();
  const listed = (await lines('alerts list')).map((line) => line.replace(/al_\w+/, 'ID'));
  expect(listed.join('\n')).toMatch(/^ID +AT UTC +TYPE +SEVERITY +STATE +READ\n/);
  expect(listed).toContain('  The limit of $5.00 a day for key "search" is used up');
  const at = listed.findIndex((line) => line.startsWith('  The limit "Everything'));
  expect(
    listed
      .slice(at, at + 2)
      .map((line) => line.trim())
      .join(' '),
  ).toBe(`The limit "${label}" (user=ann) is used up`);
  expect(shown.find((alert) => alert.message.includes('policies'))?.message).toBe(message);
  for (const alert of shown)
    expect((await run(`alerts read ${alert.id}`)).out).toMatch(
      /^BUDGET_EXCEEDED {2}critical {2}15 Mar 2026, 12:00 UTC {2}open\nThe limit /,
    );
  expect((await run('alerts list --unread')).out).toBe('No unread alerts.\n');
});

test('a new token is shown with a working command', async () => {
  await it.ledger.close();
  const made = async (scope: string): Promise<string> =>
    (await run(`tokens create --name ${scope} --scope ${scope}`)).out;
  expect(await made('usage:read')).toContain('/api/mcp/usage/summary');
  expect(await made('alerts:read')).toContain('/api/mcp/alerts');
  expect(await made('webhooks:write')).toContain('/api/mcp/webhooks');
  expect(await made('sync:write')).not.toContain('curl');
});

test('a wrapped key is listed with its tags and its expiry', async () => {
  await it.ledger.close();
  await run(`keys expire search 2099-01-31`);
  const name = 'a-key-with-a-name-of-some-length';
  await run(
    `keys create --provider anthropic --name ${name} --provider-key-of search --tag team=ads --tag env=prod --expires 2098-01-31`,
  );
  const listed = await lines('keys list');
  const at = listed.findIndex((line) => line.includes('a-key-'));
  expect(listed[at + 1]).toBe('  until 31 Jan 2098  team=ads  env=prod');
  expect(listed.join('\n')).toContain('until 31 Jan 2099');
});

test('a list is as wide as its terminal, and not shortened in a pipe', async () => {
  await it.ledger.close();
  const name = 'all-that-the-search-team-runs-at-night-and-on-weekends-for-itself';
  await run(`keys create --provider anthropic --name ${name} --provider-key-of search`);
  await run(`tokens create --name ${name}`);
  await run(`limits set --unit usd --amount 5 --window day --key ${name}`);
  await run(`prices set anthropic ${name} --input 1 --output 2`);
  await run(`providers add ${name.slice(0, 30)} https://${name.slice(0, 60)}.example.com/v1`);
  for (const line of ['keys list', 'tokens list', 'limits list', 'prices list --own', 'providers list']) {
    expect(await lines(line)).toContainEqual(expect.stringContaining('…'));
    const [narrow, wide, piped] = await Promise.all(
      [80, 200, null].map((columns) => runLine(line, { env: it.env, columns })),
    );
    const rowOf = (ran?: Ran): string => ran?.out.split('\n').find((text) => text.includes(name.slice(0, 12))) ?? '';
    expect(rowOf(narrow)).not.toContain(name.slice(0, 60));
    expect(rowOf(wide)).toContain(name.slice(0, 60));
    expect(rowOf(piped)).toContain(name.slice(0, 60));
  }
});

test('the name of a wrapped key is never mistaken for an ID', async () => {
  await it.ledger.close();
  const id = `key_${'0'.repeat(22)}`;
  expect(await failure(`keys rename search ${id}`)).toContain('looks like the id of a wrapped key');
  expect(await failure(`keys create --provider anthropic --name ${id} --provider-key-of search`)).toContain(
    'looks like',
  );
});

test('a price can be set for an existing provider, by the name of its prices', async () => {
  await it.ledger.close();
  const set = (provider: string) => `prices set ${provider} some-model --input 1 --output 2`;
  expect(await failure(set('antropic'))).toMatch(/There is no provider "antropic"; choose from anthropic, /);
  expect(await failure(set('xai'))).toContain('Calls to xai use the prices of x-ai. Set a price for x-ai instead.');
  expect((await run(set('x-ai'))).code).toBe(0);
  await run('providers add mine http://10.0.0.7:8000/v1');
  expect((await run(set('mine'))).code).toBe(0);
});

test('the coverage of price lists counts models with a price, and names the others on request', async () => {
  await it.ledger.close();
  const rows = await lines('prices coverage');
  expect(rows).toContainEqual(expect.stringMatching(/^anthropic +(\d+) +\1 +100%/));
  expect(rows.join(' ')).not.toContain('gpt-4o-audio-preview-2024-10-01');
  expect((await lines('prices coverage --models')).join(' ')).toContain('gpt-4o-audio-preview-2024-10-01');
});

test('contracts are listed by what they are about, and what they cost', async () => {
  await it.ledger.close();
  expect((await run('contracts set --provider openai --discount 24 --from 2026-01-01')).code).toBe(0);
  expect((await run('contracts set --model claude-* --rate input=2 --fee webSearch=0.008')).code).toBe(0);
  const rows = (await lines('contracts list')).join('\n');
  expect(rows).toMatch(/24% discount +1 Jan 2026\s+openai/);
  expect(rows).toMatch(/fixed prices +always\s+model claude-\*\s+input \$2.00, webSearch \$0\.008/);
  expect(await failure('contracts set --provider openai')).toContain('needs a multiplier');
  expect(await failure('contracts set --discount 24 --rate input=2')).toContain('not both');
  expect(await failure('contracts set --discount 101')).toContain('--discount 101 is more than the price');
  expect(await failure('contracts set --provider nobody --discount 5')).toContain('There is no provider "nobody"');
});

test('credits and commitments are added, listed with what is left, and removed', async () => {
  await it.ledger.close();
  expect((await run('bill-lines list')).out).toContain('tollbook bill-lines add');
  expect(await failure('bill-lines add --provider openai')).toContain('--credit or --commitment');
  expect(await failure('bill-lines add --provider openai --commitment 9')).toContain('needs an end');
  expect(await failure('bill-lines add --provider nobody --credit 9')).toContain('There is no provider "nobody"');
  const added = await run('bill-lines add --provider openai --credit 5000 --name Grant --from 2026-01-01');
  expect(added.out).toContain('credit of $5,000.00 at openai, $0.00 used');
  const rows = (await lines('bill-lines list')).join('\n');
  expect(rows).toMatch(/credit +\$5,000\.00 +\$0\.00 +\$5,000\.00 +no end\s+Grant, openai, from 1 Jan 2026/);
  await run(`bill-lines remove ${/bill_\w+/.exec(added.out)?.[0]}`);
  expect((await run('bill-lines list')).out).toContain('No credits');
});

test('a new time zone is printed with the time from which it applies', async () => {
  await it.ledger.close();
  const change = (more: string) => run(`workspaces update ${DEFAULT_WORKSPACE} ${more}`);
  const ran = await change('--time-zone Europe/Berlin');
  expect([ran.code, wideLines(ran)]).toEqual([0, []]);
  expect(ran.out).toMatch(/Europe\/Berlin.*\nExisting limits use the new time zone from their next window on/);
  expect((await change('--name Ours')).out).not.toContain('window');
});

test('prices fit 80 columns without their sources, which an option shows', async () => {
  await it.ledger.close();
  const listed = await lines('prices list --provider anthropic');
  expect(listed[0]).toMatch(/^PROVIDER +MODEL +INPUT +OUTPUT$/);
  expect(listed.join()).not.toContain('https://');
  expect((await lines('prices list --provider anthropic --sources')).join()).toContain('genai-prices');
});

test('prices of an unknown provider are an error that names the one that was meant', async () => {
  await it.ledger.close();
  expect(await failure('prices list --provider antropic')).toContain('No provider "antropic". Did you mean anthropic?');
  expect(await failure('prices list --provider zzz')).toContain('tollbook providers list');
});

test('with --json, every error is one line of JSON in the shape of the API', async () => {
  await it.ledger.close();
  const failed = await run('keys revoke nobody --json');
  expect([failed.code, failed.out, JSON.parse(failed.err)]).toEqual([
    1,
    '',
    { error: expect.stringContaining('No wrapped key "nobody"') as string, type: 'not_found' },
  ]);
  const misused = await run('keys list --json --colour');
  expect([misused.code, misused.out, JSON.parse(misused.err)]).toEqual([
    2,
    '',
    { error: expect.stringContaining("unknown option '--colour'") as string, type: 'invalid' },
  ]);
});
