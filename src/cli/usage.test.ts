import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runLine, wideLines } from '../../test/run-line.ts';
import { writeClaudeTree } from '../../test/sessions/claude-tree.ts';
import { writeCodexTree } from '../../test/sessions/codex-tree.ts';
import { listCards, localCall } from '../../test/sessions/local-calls.ts';
import { Prose } from '../../test/sessions/prose.ts';
import { seeded } from '../../test/seeded.ts';
import type { LocalCall } from '../domain/sessions/local-call.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { priceCalls, sumTokens, sumUses } from '../sessions/reports/model-use.ts';
import { statusText } from './statusline.ts';

interface Totals {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheCreationTokens: number;
  readonly cost: number | null;
  readonly unpricedCalls: number;
}
type Answer = { readonly totals: Totals; readonly rows: readonly (Totals & Record<string, unknown>)[] };

const UNTIL = Date.parse('2026-11-20T12:00:00Z');
const KINDS = ['daily', 'weekly', 'monthly', 'session', 'model', 'project', 'blocks'];

let folder: string;
let env: Record<string, string>;
let claude: readonly LocalCall[];
let codex: readonly LocalCall[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-usage-'));
  env = homeOf('home');
  const random = seeded(4);
  const prose = new Prose(random);
  const wish = { bytes: 400_000, until: UNTIL };
  claude = writeClaudeTree(random, prose, { ...wish, folder: join(folder, 'home', '.claude', 'projects') }).calls;
  codex = writeCodexTree(random, prose, { ...wish, folder: join(folder, 'home', '.codex') }).calls;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Nothing but the home: no data folder, no service, no key. */
function homeOf(name: string): Record<string, string> {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  return { HOME: home, USERPROFILE: home, LOCALAPPDATA: join(home, 'local'), SVC_DATA_DIR: join(home, 'data') };
}

async function json(line: string, of = env): Promise<Answer> {
  const { code, out } = await runLine(`${line} --json`, { env: of });
  expect({ line, code }).toEqual({ line, code: 0 });
  return JSON.parse(out) as Answer;
}

function truth(calls: readonly LocalCall[]): Totals {
  const {
    calls: number,
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheCreationTokens,
    cost,
    unpricedCalls,
  } = sumUses(priceCalls(calls, listCards));
  return {
    calls: number,
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheCreationTokens,
    cost: cost === null ? null : usdFromNano(cost),
    unpricedCalls,
  };
}

describe('usage --json', () => {
  test.each(KINDS)('equals the real usage, by %s', async (kind) => {
    const { totals, rows } = await json(`usage --${kind} --zone Europe/Berlin`);
    expect(totals).toEqual(truth([...claude, ...codex]));
    expect(rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(totals.calls);
  });

  test('can be limited to one assistant', async () => {
    expect((await json('usage claude-code')).totals).toEqual(truth(claude));
    expect((await json('usage codex --session')).totals).toEqual(truth(codex));
  });

  test('can be limited to a range of days', async () => {
    const day = new Date(claude[claude.length >> 1]?.at ?? 0).toISOString().slice(0, 10);
    const [since, until] = [Date.parse(`${day}T00:00:00Z`), Date.parse(`${day}T00:00:00Z`) + 3 * 86_400_000];
    const inside = [...claude, ...codex].filter(({ at }) => at >= since && at < until);
    const last = new Date(until - 1).toISOString().slice(0, 10);
    const { totals } = await json(`usage --since ${day} --until ${last} --zone UTC`);
    expect(totals).toEqual(truth(inside));
    expect(totals.calls).toBeGreaterThan(0);
  });

  test('has totals and rows, and savings only with a plan', async () => {
    expect(Object.keys(await json('usage'))).toEqual(['totals', 'rows']);
    const answer = await json('usage --plan max-5x --since 2026-11-01 --until 2026-11-19 --zone UTC');
    expect(answer).toMatchObject({ savings: { plan: 'max_5x', days: 19, planCost: 63.333333333 } });
  });

  test('creates no data folder', async () => {
    expect(readdirSync(join(folder, 'home'))).not.toContain('data');
  });
});

describe('usage as text', () => {
  test.each(KINDS)('fits in 80 columns, by %s, and ends with the total', async (kind) => {
    const ran = await runLine(`usage --${kind} --plan pro --zone UTC`, { env });
    expect(wideLines({ ...ran, err: '' })).toEqual([]);
    expect(ran.out).toMatch(/^Total +.*\$[\d,]+\.\d\d\+? *$/m);
    expect(ran.out).toContain('Claude Pro, $20 a month, is $');
  });

  test('is as wide as the terminal', async () => {
    const wide = await runLine('usage', { env: { ...env, COLUMNS: '160' } });
    const exact = sumTokens(truth([...claude, ...codex])) > 999 && truth([...claude, ...codex]).outputTokens;
    expect(wide.out).toContain(String(exact).replace(/\B(?=(?:\d{3})+$)/g, ','));
    const narrow = await runLine('usage', { env: { ...env, COLUMNS: '60' } });
    expect(narrow.out.split('\n').filter((line) => line.length > 60)).toEqual([]);
  });

  test('names the searched folders and their settings if nothing is found', async () => {
    const none = homeOf('none');
    const { code, out, err } = await runLine('usage', { env: none });
    expect([code, out]).toEqual([0, '']);
    for (const text of [
      join('none', '.claude', 'projects'),
      'CLAUDE_CONFIG_DIR',
      join('.codex', 'sessions'),
      'CODEX_HOME',
    ])
      expect(err).toContain(text);
    expect(await json('usage', none)).toEqual({ totals: truth([]), rows: [] });
  });

  test('names the days with usage if the requested days have none', async () => {
    const { out, err } = await runLine('usage --until 2020-01-01', { env });
    expect(out).toBe('');
    expect(err).toMatch(
      /^Note: No usage in that period\. The files have usage from 2026-1\d-\d\d to 2026-11-\d\d\.\n$/,
    );
  });

  test('names and counts models without a price, and names unreadable files', async () => {
    const home = homeOf('unpriced');
    const file = join(folder, 'unpriced', '.claude', 'projects', '-p', 'session.jsonl');
    mkdirSync(join(file, '..'), { recursive: true });
    const row = claudeRow('2026-11-20T10:00:00.000Z', 'nobody-knows');
    writeFileSync(file, row + row.replace('"input_tokens":3', '"input_tokens":-3').replace('msg_1', 'msg_2'));
    const { out, err } = await runLine('usage --zone UTC', { env: home });
    expect(out).toMatch(/^Total .* -$/m);
    expect(err).toBe(
      'Note: 1 call without a price, not in the cost. There is no price for "nobody-knows".\nNote: Claude Code: 1 line that may contain usage could not be read and is not counted.\n',
    );
    expect((await json('usage', home)).totals).toMatchObject({ cost: null, unpricedCalls: 1, inputTokens: 3 });
  });
});

test('usage --csv has a line for each row', async () => {
  const { out } = await runLine('usage --model --csv', { env });
  const lines = out.split('\r\n');
  expect(lines[0]).toBe(
    'model,source,calls,inputTokens,outputTokens,cacheReadTokens,cacheCreationTokens,cost,unpricedCalls,models',
  );
  expect(lines).toHaveLength((await json('usage --model')).rows.length + 2);
});

test.each([
  ['usage nobody', /"nobody" is not a known assistant; use one of claude-code, codex,/, 1],
  ['usage --plan gold', /--plan "gold" is not a known plan; use pro, max_5x, max_20x/, 1],
  ['usage codex --plan pro', /Claude Pro does not cover that assistant/, 1],
  ['usage --zone Mars', /"Mars" is not a time zone/, 1],
  ['usage --since soon', /--since "soon" is not a valid time. Enter for example 7d, 24h, yesterday/, 1],
  ['usage --daily --weekly', /cannot be used with/, 2],
  ['usage --json --csv', /cannot be used with/, 2],
])('%s gets an error with what to do', async (line, sentence, code) => {
  const ran = await runLine(line, { env });
  expect(ran.err).toMatch(sentence);
  expect([ran.code, ran.out]).toEqual([code, '']);
});

describe('statusline', () => {
  test('finds the named session', async () => {
    const home = homeOf('status');
    const file = join(folder, 'status', '.claude', 'projects', '-p', 'session-1.jsonl');
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, claudeRow('2026-06-01T10:01:00.000Z', 'claude-opus-5'));
    const stdin = JSON.stringify({ session_id: 'session-1', model: { display_name: 'Opus 5' } });
    // No time zone begins a day between the two.
    const clock = (): number => Date.parse('2026-06-01T10:14:00.000Z');
    const { code, out, err } = await runLine('statusline', { env: home, stdin, clock });
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^Opus 5 · \$0\.25 session · \$0\.25 today · block \$0\.25, 4 h 46 min left.*\n$/);
  });

  test('shows every available figure', () => {
    const sum = (cost: number) => sumUses(priceCalls([localCall(0, { output: cost / 25_000 })], listCards));
    const input = { sessionId: null, model: 'Opus 5', sessionCost: 5_000_000_000 };
    const rate = { tokensPerMinute: 1, costPerHour: 3_050_000_000, projectedTokens: 1, projectedCost: 1 };
    const block = { left: 8_040_000, rate, totals: sum(6_100_000_000) };
    const status = { session: sum(1_230_000_000), today: sum(14_500_000_000), block };
    expect(statusText(input, status)).toBe(
      'Opus 5 · $1.23 session · $14.50 today · block $6.10, 2 h 14 min left, $3.05/h',
    );
    expect(statusText(input, { ...status, session: null, block: { ...block, rate: null } })).toBe(
      'Opus 5 · $5.00 session · $14.50 today · block $6.10, 2 h 14 min left',
    );
    expect(statusText({ ...input, model: null }, null)).toBe('$5.00 session');
    const partly = sumUses(
      priceCalls([localCall(0, { output: 49_200 }), localCall(0, { output: 1 }, { model: 'x' })], listCards),
    );
    expect(statusText(input, { session: partly, today: partly, block: null })).toBe(
      'Opus 5 · $1.23+ session · $1.23+ today',
    );
  });

  test('falls back on its input, and never fails', async () => {
    const none = homeOf('none');
    const input = JSON.stringify({
      session_id: 'x',
      cost: { total_cost_usd: 1.5 },
      model: { display_name: 'A\u001B[2J' },
    });
    expect((await runLine('statusline', { env: none, stdin: input })).out).toBe(
      'A?[2J · $1.50 session · $0.00 today\n',
    );
    for (const stdin of ['', '{', 'null', '[]', '{"session_id":5,"cost":7,"model":"x"}'])
      expect(await runLine('statusline', { env: none, stdin })).toEqual({ code: 0, out: '$0.00 today\n', err: '' });
  });
});

/** 10,000 tokens of output: a quarter of a dollar at Opus. */
function claudeRow(timestamp: string, model: string): string {
  const usage = { input_tokens: 3, output_tokens: 10_000, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const message = { id: 'msg_1', model, role: 'assistant', content: [], stop_reason: 'end_turn', usage };
  const row = { type: 'assistant', sessionId: 'session-1', cwd: '/p', requestId: 'req_1', timestamp, message };
  return `${JSON.stringify(row)}\n`;
}
