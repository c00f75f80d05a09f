import { afterEach, beforeEach, expect, test } from 'vitest';
import { refusedCall } from '../../test/support/refused-call.ts';
import { runLine } from '../../test/run-line.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { EntriesPage } from '../contract/entries.ts';
import type { ObservedCallShape } from '../contract/observed.ts';
import type { ObservedCall } from '../domain/observed/observed-call.ts';
import { NO_CONTEXT } from '../domain/usage/call-context.ts';
import type { Entry } from '../domain/usage/call.ts';
import { NO_TERMS } from '../domain/usage/usage.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';

let it: TestLedger;

beforeEach(async () => {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  const keyId = (await it.createKey('search')).id;
  const at = (minutes: number) => ({ startedAt: it.time.now - minutes * 60_000 });
  await it.ship([
    it.entry({ ...at(1), callId: 'call_paid', keyId, tags: { team: 'web' } }),
    it.entry({ ...at(2), callId: 'call_failed', outcome: 'failed', status: 529, errorType: 'overloaded_error' }),
    it.entry({ ...at(3), callId: 'call_unpriced', model: 'nameless', cost: null, uncertainReason: 'no_price' }),
  ]);
});
afterEach(() => it.close());

async function out(line: string, columns?: number): Promise<string> {
  await it.ledger.close();
  const ran = await runLine(line, {
    env: { ...it.env, TZ: 'UTC' },
    clock: () => it.time.now,
    ...(columns !== undefined && { columns }),
  });
  expect([ran.code, ran.err]).toEqual([0, '']);
  return ran.out;
}

const ids = async (filter: string): Promise<string[]> =>
  (JSON.parse(await out(`calls ${filter} --json`)) as EntriesPage).entries.map(({ id }) => id);

test.each([80, 140])('calls have one line each within %i columns, newest first', async (columns) => {
  const lines = (await out('calls --no-color', columns)).trimEnd().split('\n');
  expect(lines.filter((line) => line.length > columns)).toEqual([]);
  expect(lines.slice(1).map((line) => line.slice(0, 12))).toEqual(['15 Mar 11:59', '15 Mar 11:58', '15 Mar 11:57']);
  expect(lines[1]).toMatch(/ 200 .* search .*\$0\.\d+/);
  expect(lines[2]).toContain(columns < 100 ? 'failed 529 ' : 'failed 529 overloaded_error ');
  expect(lines[3]).toMatch(/nameless .*unknown ±/);
});

test('filters select calls by key, tag, outcome, price and time', async () => {
  expect(await ids('--key search')).toEqual(['call_paid']);
  expect(await ids('--tag team=web')).toEqual(['call_paid']);
  expect(await ids('--failed')).toEqual(['call_failed']);
  expect(await ids('--unpriced')).toEqual(['call_unpriced']);
  expect(await ids('--since 90s')).toEqual(['call_paid']);
  expect(await out('calls --until yesterday')).toBe('No calls.\n');
});

test('a list that is cut says so, and failed calls are red', async () => {
  const shown = await out('calls --limit 2');
  expect(shown).toContain('There are more');
  expect(shown).toMatch(/\u001B\[31m15 Mar 11:58 .*failed/);
});

test('refused calls are listed with their reason, and filters that they lack are refused', async () => {
  await it.refuse([refusedCall('call_refused', { workspaceId: DEFAULT_WORKSPACE, at: it.time.now - 1_000 })]);
  expect(await out('calls --refused')).toContain('exceeds_limit');
  expect((await runLine('calls --refused --model x', { env: it.env })).code).toBe(2);
});

test('possible duplicates are listed with the calls that each may be', async () => {
  const session = 'd'.repeat(64);
  const startedAt = it.time.now - 60_000;
  const tokens = { input: 100, output: 10 };
  const usage = { inferences: [{ model: null, tokens, promptTokens: 100 }], uses: {}, thinking: 0, terms: NO_TERMS };
  const call = { provider: 'openai', model: 'gpt-5', startedAt, endedAt: startedAt, usage };
  const twin = (callId: string): Entry => it.entry({ ...call, callId, sessionHash: session, requestedModel: 'gpt-5' });
  await it.ship([twin('call_one'), twin('call_two')]);
  const observed: ObservedCall = {
    ...call,
    observationId: 'log',
    source: 'telemetry',
    signal: 'log',
    assistant: 'codex',
    tokenId: 'tok_1',
    session,
    providerIds: [],
    callId: null,
    context: NO_CONTEXT,
    tags: {},
    statedCost: 2_500_000,
  };
  const pricing = { pricedAs: () => null, resolve: () => null };
  const given = { workspaceId: DEFAULT_WORKSPACE, calls: [observed], at: it.time.now };
  await it.ledger.store.observed.observe(given, () => pricing);
  const lines = (await out('calls --possible-duplicates')).split('\n');
  expect(lines[1]).toMatch(/^15 Mar 11:59 +codex +gpt-5 +100 +10 +\$0\.0025$/);
  expect(lines[2]).toMatch(/^ +may be +call_one +call_two$/);
  const { calls } = JSON.parse(await out('calls --possible-duplicates --json')) as { calls: ObservedCallShape[] };
  expect(calls.map(({ possibleDuplicates }) => possibleDuplicates)).toEqual([['call_one', 'call_two']]);
  expect(await out('calls --possible-duplicates --until yesterday')).toBe('No possible duplicates.\n');
});
