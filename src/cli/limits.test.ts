import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import { type Ran, runLine, wideLines } from '../../test/run-line.ts';
import type { LimitShape, LimitStanding } from '../contract/limits.ts';
import type { RefusalCountsShape, RefusalsPageShape } from '../contract/refusals.ts';
import { toIso } from '../domain/time/period.ts';
import { DAY_MS } from '../domain/time/units.ts';
import { sampleRefused } from '../journal/contract/sample-calls.ts';
import type { EntryShape } from '../contract/entries.ts';
import type { Entry } from '../domain/usage/call.ts';

let it: TestLedger;
let keyId: string;

/** A folder that a service has used and left: the commands open it themselves. */
async function openFolder(): Promise<void> {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  keyId = (await it.createKey('search')).id;
  await it.ledger.close();
}

const run = (line: string, env = {}): Promise<Ran> => runLine(line, { env: { ...it.env, ...env } });

async function json<T>(line: string): Promise<T> {
  const { code, out } = await run(`${line} --json`);
  expect(code).toBe(0);
  return JSON.parse(out) as T;
}

async function failure(line: string): Promise<string> {
  const { code, err } = await run(line);
  expect(code).toBe(1);
  return err;
}

describe('limits', () => {
  beforeEach(openFolder);
  afterEach(() => it.close());

  test('set --json prints the limit with its id, and set again changes its amount', async () => {
    const made = await json<LimitShape>('limits set --unit usd --amount 5 --window total');
    expect(made).toMatchObject({ id: expect.stringMatching(/^lim_/), unit: 'usd', amount: 5, window: 'total' });
    const set = await json<LimitShape>(`limits set --unit usd --amount $1,000.50 --window total`);
    expect(set).toEqual({ ...made, amount: 1_000.5, etag: expect.any(String) });
    expect(set.etag).not.toBe(made.etag);
    const warns = await json<LimitShape>('limits set --unit usd --amount 5 --window total --warn');
    expect(warns).toMatchObject({ action: 'warn' });
    expect(warns.id).not.toBe(made.id);
    expect(Object.keys(warns)).toEqual(Object.keys(made));
  });

  test('raise without an amount shows the limit and a complete command', async () => {
    const { id } = await json<LimitShape>('limits set --unit usd --amount 5 --window day');
    const error = await failure(`limits raise ${id}`);
    expect(error).toContain('blocks at $5.00 a day for all calls');
    expect(error).toContain(`tollbook limits raise ${id} --amount 10 --for 2h`);
  });

  test('are raised and removed by their label if it is unique', async () => {
    const { id } = await json<LimitShape>('limits set --unit usd --amount 5 --window day --label monthly');
    expect(await json<LimitShape>('limits raise monthly --amount 10 --for 2h')).toMatchObject({
      id,
      raise: { amount: 10 },
    });
    const other = await json<LimitShape>('limits set --unit usd --amount 5 --window week --label monthly');
    expect(await failure('limits remove monthly')).toContain(`Use an id: ${id}, ${other.id}`);
    expect(await failure('limits remove daily')).toContain('No limit has the id or label "daily"');
    await run(`limits remove ${other.id}`);
    expect((await run('limits remove monthly')).out).toBe(`Limit ${id} deleted.\n`);
  });

  test('count what the options say', async () => {
    const scopeOf = async (option: string) =>
      (await json<LimitShape>(`limits set --unit calls --amount 10 --window hour ${option}`)).scope;
    expect(await scopeOf(`--key ${keyId}`)).toEqual({ kind: 'key', keyId });
    expect(await scopeOf('--provider openai')).toEqual({ kind: 'provider', provider: 'openai' });
    expect(await scopeOf('--model claude-*')).toEqual({ kind: 'model', pattern: 'claude-*' });
    expect(await scopeOf('--tag team=search')).toEqual({ kind: 'tag', key: 'team', value: 'search' });
    expect(await scopeOf('--each-tag user')).toEqual({ kind: 'each_tag', key: 'user' });
    const rest = '--threshold 90 --threshold 50 --label Everything --uncertain release-after 2h';
    expect(await json(`limits set --unit concurrency --amount 3 ${rest}`)).toMatchObject({
      thresholds: [50, 90],
      label: 'Everything',
      uncertainRule: 'release-after 2h',
      window: 'total',
    });
  });

  test('tried with --dry-run show what calls need, and are not set', async () => {
    const ran = await run('limits set --unit usd --amount 1 --window day --dry-run');
    expect(ran.out).toBe(`Not set: $1.00 a day for all calls.
No call was recorded in the last 7 days, so nothing can be compared.
`);
    expect([ran.code, wideLines(ran)]).toEqual([0, []]);
    expect(await json('limits set --unit usd --amount 1 --window day --dry-run')).toMatchObject({ holds: null });
    expect(await json('limits list')).toEqual([]);
  });

  test('on a tag print a note that a client can choose its tags', async () => {
    for (const option of ['--each-tag user', '--tag team=search']) {
      const ran = await run(`limits set --unit usd --amount 5 --window day ${option}`);
      expect([ran.code, wideLines(ran)]).toEqual([0, []]);
      const { err, out } = ran;
      expect(err).toMatch(
        /^Note: a client can send another tag value.*\n.*keys create --tag.*\n.*--require-tag team=a,b/,
      );
      expect(out).toMatch(/^Limit lim_\w+ blocks at \$5\.00 a day for (each user|team=search)\.\n$/);
    }
    expect((await run('limits set --unit usd --amount 5 --window day')).err).toBe('');
  });

  test('that block and that warn can coexist, and setting one mentions the other', async () => {
    const blocks = await json<LimitShape>('limits set --unit usd --amount 5 --window total');
    const warns = await run('limits set --unit usd --amount 4 --window total --warn');
    expect(warns.out).toMatch(/^Limit lim_\w+ warns at \$4\.00 in total for all calls\.\n$/);
    expect(warns.err.split('\n')).toEqual([
      'Note: another limit has the same scope and stays.',
      `Limit ${blocks.id} blocks at $5.00 in total for all calls.`,
      `To delete it: tollbook limits remove ${blocks.id}`,
      '',
    ]);
    expect((await run('limits set --unit usd --amount 6 --window total')).err).toMatch(/ warns at \$4\.00 /);
    expect((await run('limits set --unit usd --amount 6 --window hour')).err).toBe('');
  });

  test('that warn count observed calls with --observed, until --no-observed', async () => {
    const line = 'limits set --unit usd --amount 5 --window week';
    expect((await run(`${line} --warn --observed`)).out).toMatch(
      /^Limit lim_\w+ warns at \$5\.00 a week for all calls\. It also counts observed calls\.\n$/,
    );
    expect(await failure(`${line} --observed`)).toContain('A limit that blocks counts only calls of the gateway');
    expect((await run('limits list')).out).toContain('warns only  $0.00 of observed calls');
    expect(await json<LimitShape>(`${line} --warn`)).toMatchObject({ countsObserved: true });
    expect(await json<LimitShape>(`${line} --warn --no-observed`)).toMatchObject({ countsObserved: false });
  });

  test('are listed within 80 columns, with scope, remaining amount and reset', async () => {
    const clock = (): number => Date.parse('2026-06-15T12:00:30Z');
    const runNow = (line: string): Promise<Ran> => runLine(line, { env: it.env, clock });
    expect((await runNow('limits list')).out).toContain('tollbook limits set --unit usd');
    await runNow(`limits set --unit usd --amount 1234567.89 --window month --key ${keyId} --label 'Search, at most'`);
    await runNow(
      'limits set --unit input_tokens --amount 1000000000 --window minute --model a-model-with-a-long-name-*',
    );
    await runNow(`limits set --unit calls --amount 10 --window total --each-tag user --warn`);
    const ran = await runNow('limits list');
    expect(wideLines(ran)).toEqual([]);
    const ids = ran.out.match(/lim_\w+/g) ?? [];
    expect(ran.out.split('\n')).toEqual([
      'COUNTS        WINDOW  AMOUNT         COUNTED  HELD   LEFT           RESETS UTC',
      'key search    month   $1,234,567.89  $0.00    $0.00  $1,234,567.89  1 Jul 00:00',
      `  ${ids[0]}  "Search, at most"`,
      // The full name is on the next line.
      'input token…  minute  1,000,000,000  0        0      1,000,000,000  15 Jun 12:01',
      `  ${ids[1]}  input tokens: model a-model-with-a-long-name-*`,
      'calls: each…  total   10',
      `  ${ids[2]}  calls: each user  warns only  no value yet`,
      '',
    ]);
    expect(await json<LimitStanding[]>('limits list')).toHaveLength(3);
  });

  test('of a key can be set by its name', async () => {
    const made = await json<LimitShape>('limits set --unit calls --amount 10 --window hour --key search');
    expect(made.scope).toEqual({ kind: 'key', keyId });
    expect(await failure('limits set --unit calls --amount 10 --window hour --key nobody')).toContain('keys list');
  });

  test('are described within 80 columns', async () => {
    const { id } = await json<LimitShape>(
      `limits set --unit usd --amount 5 --window total --warn --label '${'Long label '.repeat(9)}'`,
    );
    await run(`limits raise ${id} --amount 10 --for 2h`);
    const ran = await run('limits list');
    expect(wideLines(ran)).toEqual([]);
    expect(ran.out).toMatch(/\n {2}lim_\w+ +warns only +raised until \d+ \w+ 20\d\d, \S+\n {4}"Long label .*…\n$/);
  });

  test('are raised for a while, and removed', async () => {
    const { id } = await json<LimitShape>('limits set --unit usd --amount 5 --window day');
    expect((await run(`limits raise ${id} --amount 10 --for 2h`)).out).toMatch(
      / Until \d+ \w+ 20\d\d, \d\d:\d\d UTC it is \$10\.00\.\n$/,
    );
    const above = await run('limits set --unit usd --amount 12 --window day');
    expect(above.out).not.toContain('Until');
    await run('limits set --unit usd --amount 5 --window day');
    expect((await run('limits list')).out).toMatch(/\$10\.00 [\s\S]*raised until \d+ \w+ 20\d\d, \d\d:\d\d/);
    expect((await json<LimitShape>(`limits raise ${id} --amount 10 --until 2099-01-31`)).raise).toEqual({
      amount: 10,
      until: '2099-02-01T00:00:00.000Z',
    });
    expect((await json<LimitShape>(`limits raise ${id} --end`)).raise).toBeNull();
    expect((await run(`limits remove ${id}`)).out).toBe(`Limit ${id} deleted.\n`);
    expect(await failure(`limits remove ${id}`)).toContain(id);
  });
});

describe('an invalid limit', () => {
  beforeAll(openFolder);
  afterAll(() => it.close());

  test.each([
    ['limits set --unit usd --amount five --window day', /"five" is not an amount of dollars; write a number such as/],
    ['limits set --unit calls --amount 1.5 --window day', /write a whole number such as 1000/],
    ['limits set --unit usd --amount 5', /^tollbook: --window is missing; choose one of minute, hour, day/],
    ['limits set --unit usd --amount 5 --window day --key a --tag b=c', /A limit counts one thing/],
    ['limits set --unit usd --amount 5 --window day --tag team', /"team" is not a tag; write team=search/],
    ['limits set --unit usd --amount 5 --window day --key key_none', /No wrapped key "key_none"/],
    ['limits set --unit usd --amount 5 --window day --provider nobody', /choose from anthropic/],
    ['limits set --unit usd --amount 5 --window day --threshold many', /--threshold must be at most 10 whole numbers/],
    ['limits set --unit usd --amount 5 --window day --uncertain release', /for instance "release-after 2h"/],
    ['limits set --unit usd --amount 5 --window day --observed', /Add --warn, or leave out --observed\.\n$/],
    ['limits set --unit concurrency --amount 5 --window day', /Its window must be "total"/],
    ['limits raise lim_1', /There is no limit "lim_1"/],
    ['limits set --amount 5 --each run --provider openai', /but provider and each are given/],
    ['limits set --unit usd --amount 5 --window day --key key_0000000000000000000000 --dry-run', /no wrapped key/i],
    ['limits resolve call_none --cost 1', /There is no entry "call_none"/],
    ['limits resolve --cost 0.001', /Name the call/],
    ['limits resolve --output-tokens 5', /Name the call/],
    ['limits resolve call_none', /Enter the cost of the call with --cost/],
  ])('%s gets an error with what to do', async (line, sentence) => {
    expect(await failure(line)).toMatch(sentence);
  });

  test.each([
    'limits set --amount 5',
    'limits set --unit euro --amount 5',
    'limits set --unit usd --amount 5 --window year',
  ])('%s is a usage error', async (line) => {
    expect((await run(line)).code).toBe(2);
  });
});

test('an uncertain call is resolved', async () => {
  const broken: Partial<Entry> = {
    outcome: 'broken',
    uncertainReason: 'reset',
    cost: null,
    usage: null,
    usageSource: 'none',
    startedAt: Date.now() - 60_000,
    counted: { usd: 70_000_000, inputTokens: 900, outputTokens: 100 },
  };
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  const call = it.entry(broken);
  await it.ship([call]);
  await it.ledger.close();
  await run('limits set --unit usd --amount 5 --window total');
  expect((await run('limits list')).out).toMatch(/total +\$5\.00 +\$0\.07 .*\n.*\$0\.07 uncertain/);
  const listed = await run('limits resolve');
  expect(wideLines(listed)).toEqual([]);
  expect(listed.out).toMatch(new RegExp(`^CALL .*\\n${call.callId} +\\d+ \\w+ \\d\\d:\\d\\d +reset +\\$0\\.07 `));
  expect(await json<EntryShape[]>('limits resolve')).toMatchObject([{ id: call.callId }]);
  expect(await failure(`limits resolve ${call.callId} --cost free`)).toMatch(/write a number such as 12\.50/);
  expect((await run(`limits resolve ${call.callId} --cost 0.02 --output-tokens 5`)).out).toBe(
    `Call ${call.callId} set to $0.02; reports and limits use it now.\n`,
  );
  expect((await run('limits list')).out).toMatch(/total +\$5\.00 +\$0\.02 .*\$4\.98 .*never\n +lim_\w+$/m);
  expect(await failure(`limits resolve ${call.callId} --cost 0.02`)).toMatch(/nothing to resolve/);
  expect((await run('limits resolve')).out).toBe('No uncertain calls in the last 30 days.\n');
  await it.close();
});

describe('limits refusals', () => {
  const reason = 'exceeds_limit';
  let days: string;
  beforeEach(async () => {
    it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
    keyId = (await it.createKey('search')).id;
    const call = sampleRefused('call_1', {
      at: it.time.now - 1_000,
      workspaceId: 'ws_default',
      keyId,
      limitId: 'lim_a',
    });
    days = `--from ${toIso(it.time.now - DAY_MS)} --to ${toIso(it.time.now)}`;
    const sum = { ...call, callId: 'call_2', isSum: true, calls: 940, model: null, needed: null, left: null };
    await it.ledger.store.entries.append({ journalId: 'j', mark: 2, entries: [], refused: [call, sum] });
    await it.ledger.close();
  });
  afterEach(() => it.close());

  test('lists refused calls with model, limit, reason, need and remaining amount', async () => {
    const ran = await run(`limits refusals ${days}`);
    const { out } = ran;
    expect(out).toContain('claude-opus-4-5');
    expect(out).toContain('(summed)');
    expect(out).toContain('Needed more than was left, needed $1.78, left $0.40  key search');
    expect(wideLines(ran)).toEqual([]);
    expect((await json<RefusalsPageShape>(`limits refusals lim_a --key search ${days}`)).refusals).toHaveLength(2);
    expect(await failure(`limits refusals lim_b ${days}`)).toContain('There is no limit "lim_b"');
    expect(await failure(`limits refusals --key key_unknown ${days}`)).toContain('No wrapped key "key_unknown"');
    const limit = await json<LimitShape>('limits set --unit usd --amount 5 --window day');
    expect((await run(`limits refusals ${limit.id} ${days}`)).out).toContain('No refused calls.');
  });

  test('counts them by limit, key, reason and day', async () => {
    const counts = await json<RefusalCountsShape>(`limits refusals --by reason ${days}`);
    expect(counts).toEqual({ calls: 941, groups: [{ value: reason, calls: 941 }] });
    expect((await run(`limits refusals --by key ${days}`)).out).toMatch(/941 +search/);
    expect((await run(`limits refusals --by day ${days}`)).out).toMatch(/20\d\d-\d\d-\d\d +941/);
  });
});

test('an open batch is among the uncertain calls, under its own name', async () => {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  const startedAt = Date.now() - 60_000;
  const open = { operation: 'batches', uncertainReason: 'background', cost: null, usage: null } as const;
  const counted = { usd: 2_000_000_000, inputTokens: 4_000, outputTokens: 1_000 };
  const openWork = { headers: {}, batch: { requests: 120, largest: counted } };
  const call = it.entry({ ...open, counted, usageSource: 'none', openWork, startedAt });
  await it.ship([call]);
  const { callId, workspaceId } = call;
  const problem = 'OpenAI answered 401: it no longer accepts the provider key.';
  await it.ledger.records.callProblems.note(workspaceId, { callId, problem, asks: 1, askedAt: startedAt, dueAt: null });
  await it.ledger.close();
  expect((await run('limits resolve')).out).toMatch(/ open batch, 120 requests +\$2\.00.*\n +OpenAI answered 401/);
  expect((await run('calls')).out).toMatch(/open batch .*≤ \$2\.00/);
  expect(await json<EntryShape>(`limits resolve ${callId} --cost 0.5`)).toMatchObject({
    cost: 0.5,
    inputTokens: 4_000,
    outputTokens: 1_000,
  });
  await it.close();
});

test('the names of values are whole within 80 columns, in the room of the columns that they leave empty', async () => {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  const project = 'upgrade-framework-1s9m-again';
  await it.ship([it.entry({ tags: { project }, startedAt: Date.now() - 1_000 })]);
  await it.ledger.close();
  await run('limits set --unit usd --amount 5 --window total --each-tag project');
  const listed = await run('limits list');
  expect(wideLines(listed)).toEqual([]);
  const [headings = '', limit = '', value = ''] = listed.out.split('\n');
  expect(limit).toMatch(/^each project +total +\$5\.00$/);
  expect(value).toMatch(/^ {2}upgrade-framework-1s9m-again {2}\$0\.0105 +\$0\.00 +\$4\.98 +never$/);
  expect(value.indexOf('$0.0105')).toBe(headings.indexOf('COUNTED'));
  await it.close();
});
