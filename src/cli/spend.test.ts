import { afterEach, beforeEach, expect, test } from 'vitest';
import { runLine } from '../../test/run-line.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { SpendReport } from './spend-rows.ts';

const DAY_MS = 86_400_000;
let it: TestLedger;
let keyId: string;

beforeEach(async () => {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  keyId = (await it.createKey('search')).id;
  const at = (days: number, team: string) =>
    it.entry({ keyId, tags: { team, user: 'ann' }, startedAt: it.time.now - days * DAY_MS });
  await it.ship([at(1, 'web'), at(1, 'web'), at(2, 'ads'), at(9, 'web')]);
});
afterEach(() => it.close());

async function out(line: string, options: { columns?: number | null; env?: Record<string, string> } = {}) {
  await it.ledger.close();
  const { env, ...others } = options;
  const ran = await runLine(line, { env: { ...it.env, TZ: 'UTC', ...env }, clock: () => it.time.now, ...others });
  expect([ran.code, ran.err]).toEqual([0, '']);
  return ran.out;
}

const json = async (line: string): Promise<SpendReport> => JSON.parse(await out(`${line} --json`)) as SpendReport;

test('spend adds up by any group, and the rows and the total agree', async () => {
  const report = await json('spend --by model,key,tag:team,person,day --since 7d');
  expect(report.total).toMatchObject({ calls: 3, failedCalls: 0, uncertainCalls: 0, unpricedCalls: 0 });
  expect(report.total.cost).toBeGreaterThan(0);
  for (const { by, rows } of report.breakdowns) {
    const sum = rows.reduce((all, { cost }) => all + cost, 0);
    expect([by, sum.toFixed(9)]).toEqual([by, report.total.cost.toFixed(9)]);
  }
  expect(report.breakdowns[1]?.rows[0]?.value).toBe(keyId);
  expect(report.breakdowns[2]?.rows.map(({ value, calls }) => [value, calls])).toEqual([
    ['web', 2],
    ['ads', 1],
  ]);
  expect(report.breakdowns[4]?.rows).toHaveLength(8);
});

test('a comparison shows the period before and the change', async () => {
  const { comparedWith, total, breakdowns } = await json('spend --by tag:team --since 7d --compare');
  expect(comparedWith).toEqual({ start: '2026-03-01T12:00:00.000Z', end: '2026-03-08T12:00:00.000Z' });
  expect([total.calls, total.before?.calls]).toEqual([3, 1]);
  expect(breakdowns[0]?.rows.map(({ value, before }) => [value, before?.calls])).toEqual([
    ['web', 1],
    ['ads', 0],
  ]);
  const shown = await out('spend --by tag:team --since 7d --compare --no-color');
  expect(shown).toMatch(/^TAG:TEAM .*BEFORE +CHANGE/m);
  expect(shown).toMatch(/^web .*\+100%/m);
  expect(shown).toMatch(/^ads .*new/m);
});

test('the other values are summed in the last row, and filters apply', async () => {
  const { breakdowns } = await json('spend --by tag:team --top 1');
  expect(breakdowns[0]?.rows.map(({ value, calls }) => [value, calls])).toEqual([
    ['web', 3],
    ['(other)', 1],
  ]);
  expect((await json('spend --by model --tag team=ads --key search')).total.calls).toBe(1);
});

test.each([80, 140])('a table fits %i columns, with a bar for each row', async (columns) => {
  const shown = await out('spend --by key --no-color', { columns });
  expect(shown.split('\n').filter((line) => line.length > columns)).toEqual([]);
  expect(shown).toMatch(/^search +█+ +100%/m);
  expect(shown).toContain(columns === 80 ? 'TOKENS' : 'OUTPUT');
});

test('uncertain and unpriced costs are marked and explained, never shown as 0', async () => {
  const lost = { outcome: 'lost', uncertainReason: 'crash', usageSource: 'none', usage: null, cost: null } as const;
  await it.ship([
    it.entry({ ...lost, startedAt: it.time.now - 1_000 }),
    it.entry({ model: 'nameless', cost: null, uncertainReason: 'no_price', startedAt: it.time.now - 1_000 }),
  ]);
  await it.ship([
    it.entry({ model: 'nameless', cost: null, uncertainReason: 'no_price', startedAt: it.time.now - 9 * DAY_MS }),
  ]);
  expect(await out('spend --since 7d --compare --no-color')).toMatch(/^nameless .*unknown .*unknown/m);
  const shown = await out('spend --no-color');
  expect(shown).toMatch(/^nameless .*unknown/m);
  expect(shown).toMatch(/^Total .*≥ \$/m);
  expect(shown).toMatch(/^≥ \d calls? without a price, not in the cost\./m);
  expect(shown).toMatch(/^± \d uncertain calls?: up to \$/m);
});

test('spend outside the gateway is unknown without an admin key, and the page says so', async () => {
  expect(await out('spend')).toContain('Spend outside the gateway is unknown without an admin key');
});

test('colors show in a terminal, unless they are refused', async () => {
  const isColored = async (line: string, options: Parameters<typeof out>[1] = {}): Promise<boolean> =>
    (await out(line, options)).includes('\u001B[');
  expect(await isColored('spend')).toBe(true);
  expect(await isColored('spend', { columns: null })).toBe(false);
  expect(await isColored('spend --no-color')).toBe(false);
  expect(await isColored('spend', { env: { NO_COLOR: '1' } })).toBe(false);
  expect(await isColored('spend', { env: { TERM: 'dumb' } })).toBe(false);
  expect(await isColored('spend', { columns: null, env: { FORCE_COLOR: '1' } })).toBe(true);
});

test('an unknown group is refused with those that exist', async () => {
  const { code, err } = await runLine('spend --by colour', { env: it.env });
  expect([code, err]).toEqual([1, expect.stringMatching(/--by "colour" is not a group; use .*model.*tag:NAME.*day/)]);
});

test('dollars per hour become a price per token, at which the recorded calls cost what the hours cost', async () => {
  const { model, provider } = it.entry({});
  const set = await out(`prices set ${provider} ${model} --per-hour 0.02 --since 7d --tier batch=0.5 --yes`);
  expect(set).toMatch(
    /input \d+\.\d+, output \d+\.\d+ per million tokens.* Recorded calls since \d+ \w+ \d+ are priced again/,
  );
  const refused = await runLine('prices set vllm --per-hour 2', { env: it.env });
  expect(refused.err).toContain('--per-hour needs a provider and a model');
});
