import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { routes } from '../../src/contract/routes.ts';
import { type Sandbox, startSandbox } from '../../src/demo/sandbox.ts';
import { PastClock } from '../../src/demo/past-clock.ts';
import { makeDemoRecords } from '../../src/demo/seed.ts';
import { type Ledger, openLedger } from '../../src/ledger/ledger.ts';
import { seedDemoLedger } from '../../src/ledger/seed-demo.ts';
import { silentLog } from '../../src/lib/log.ts';
import { type Ran, runLine } from '../run-line.ts';
import { seeded } from '../seeded.ts';
import { eventually, MAIN } from '../service.ts';
import { temporaryDatabase } from '../support/postgres.ts';
import { LEDGER_TEMPLATE, temporaryFolder } from '../support/temporary-records.ts';
import { NOW } from '../test-ledger.ts';

vi.setConfig({ testTimeout: 300_000 });

/** Time for a move to reach a table in the middle, on a busy machine. */
const MOVE_MS_MAX = 120_000;

const SECRET = 'the-secret-of-the-new-database-0123456789';
const CUSTOM_PROVIDERS = '[{"id":"local","name":"Local models","url":"http://127.0.0.1:9","priceProvider":null}]\n';
/** Answers about the process or its database; the list to which the move itself adds a row; and what computes for long. */
const OTHERWISE = [
  '/api/account',
  '/api/live',
  '/api/manage/doctor',
  '/api/manage/nodes',
  '/api/manage/audit',
  '/api/mcp/anomalies',
  '/api/mcp/anomalies/backtest',
];
/** Questions that need parameters, or that read parts of hours. */
const MORE_QUESTIONS = [
  '/api/mcp/usage/summary?startDate=2026-03-01T10:20:00Z&endDate=2026-03-09T07:10:00Z',
  '/api/mcp/usage/by-tag?tagKey=team',
  '/api/mcp/usage/series?by=model&step=day&limit=100',
  '/api/mcp/usage/series?by=key&step=hour&startDate=2026-03-12&limit=100',
  '/api/mcp/entries?limit=500',
  '/api/manage/reconciliation?startDate=2026-03-01&endDate=2026-03-14',
  '/api/manage/export?format=csv',
];
const QUESTIONS = [
  ...Object.keys(routes).flatMap((key) => /^GET ([^{]+)$/.exec(key)?.[1] ?? []),
  ...MORE_QUESTIONS,
].filter((path) => !OTHERWISE.includes(path));

let sandbox: Sandbox;
/** A data folder with everything that the demo has. */
let filled: string;
/** One with a key, which moves in less time. */
let small: string;

beforeAll(async () => {
  sandbox = await startSandbox(seeded(4));
  filled = mkdtempSync(join(tmpdir(), 'tollbook-move-'));
  writeFileSync(join(filled, 'providers.json'), CUSTOM_PROVIDERS);
  const clock = new PastClock(() => NOW);
  const ledger = await open({ SVC_DATA_DIR: filled }, clock.now);
  const records = await makeDemoRecords(ledger.records, clock, `${sandbox.urls.anthropic}/receiver`);
  await seedDemoLedger(ledger, records, readConfig(environment({ SVC_DATA_DIR: filled })), () => NOW);
  await ledger.close();
  small = mkdtempSync(join(tmpdir(), 'tollbook-move-'));
  const other = await open({ SVC_DATA_DIR: small });
  const input = { workspaceId: 'ws_default', name: 'main', provider: 'anthropic', tags: {}, expiresAt: null };
  await other.records.keys.create({ ...input, source: { providerKey: 'sk-ant-to-move' } }, 'owner');
  await other.close();
});
afterAll(async () => {
  await sandbox?.close();
  for (const folder of [filled, small]) rmSync(folder, { recursive: true, force: true });
});

function environment(own: Readonly<Record<string, string>>): Record<string, string> {
  const urls = Object.entries(sandbox.urls).map(([id, url]) => [`SVC_${id.toUpperCase()}_URL`, url] as const);
  return { SVC_WEBHOOK_ALLOW: '127.0.0.1', ...Object.fromEntries(urls), ...own };
}

async function open(own: Readonly<Record<string, string>>, clock = () => NOW): Promise<Ledger> {
  return await openLedger({ config: readConfig(environment(own)), clock, log: silentLog });
}

/** Copies a folder, and creates an empty database. Returns the settings of the folder before and after the move. */
async function newMove(source = filled): Promise<{ before: Record<string, string>; after: Record<string, string> }> {
  const folder = join(temporaryFolder(), 'data');
  cpSync(source, folder, { recursive: true });
  const before = environment({ SVC_DATA_DIR: folder });
  return {
    before,
    after: { ...before, SVC_DATABASE_URL: await temporaryDatabase(LEDGER_TEMPLATE), SVC_SECRET: SECRET },
  };
}

async function succeed(line: string, env: Record<string, string>): Promise<string> {
  const ran = await runLine(line, { env, clock: () => NOW });
  expect({ line, ...ran }).toEqual({ line, code: 0, out: ran.out, err: '' });
  return ran.out;
}

/** Runs a command that fails. Returns what it says. */
async function fail(line: string, env: Record<string, string>): Promise<string> {
  const { code, err }: Ran = await runLine(line, { env, clock: () => NOW });
  expect({ line, code }).toEqual({ line, code: 1 });
  return err;
}

/** Reads JSON. The order of fields, and of the points of one instant, is no part of an answer. */
function readBody(text: string): unknown {
  if (!/^[[{]/.test(text)) return text;
  const body = JSON.parse(text) as { points?: readonly object[] };
  return body.points ? { ...body, points: new Set(body.points) } : body;
}

/** Returns the content of each good answer, and the status of others. */
async function answers(env: Record<string, string>, questions: readonly string[]): Promise<Record<string, unknown>> {
  const ledger = await open(env);
  const found: Record<string, unknown> = {};
  for (const path of questions) {
    const answer = await ledger.fetch(new Request(`http://tollbook${path}`), { caller: 'owner' });
    found[path] = answer.ok ? readBody(await answer.text()) : answer.status;
  }
  // Also what is sealed, which no answer shows.
  const { keys } = await ledger.snapshot();
  found['provider keys'] = keys.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await ledger.close();
  return found;
}

test('the API gives the same answers before and after a move, and provider keys are readable with the new secret', async () => {
  const { before, after } = await newMove();
  const expected = await answers(before, QUESTIONS);
  const good = Object.values(expected).filter((answer) => typeof answer !== 'number');
  expect(good.length).toBeGreaterThan(QUESTIONS.length / 2);
  const moved = JSON.parse(await succeed('move --json', after)) as { rows: number; tables: { name: string }[] };
  expect(moved.rows).toBeGreaterThan(10_000);
  expect(await answers(after, QUESTIONS)).toEqual(expected);
  const ledger = await open(after);
  expect(await ledger.records.audit.verify()).toMatchObject({ ok: true });
  await ledger.close();
  expect(await succeed('audit', after)).toMatch(/owner +ledger\.move/);
});

test('the folder is refused after a move, until an explicit word', async () => {
  const { before, after } = await newMove(small);
  const keys = await succeed('keys list', before);
  expect(await succeed('move --dry-run', before)).toContain('Nothing was changed');
  await succeed('move', after);
  expect(await fail('keys list', before)).toContain('was moved to PostgreSQL');
  expect(await fail('move', after)).toContain('was moved already');
  expect(await succeed('move --entries-to --dry-run', after)).toMatch(
    /calls, \d+ MB in PostgreSQL. Nothing was changed/,
  );
  expect(await succeed('move --cancel', before)).toContain('in use again');
  expect(await succeed('keys list', before)).toBe(keys);
  expect(await fail('move', after)).toContain('was moved, into this database');
});

test('a move without SVC_SECRET or an address changes nothing, and the error says what to set', async () => {
  const { before, after } = await newMove(small);
  expect(await fail(`move --to ${after['SVC_DATABASE_URL']}`, before)).toContain('openssl rand -base64 32');
  expect(await fail('move', before)).toContain('set SVC_DATABASE_URL');
  const secret = { ...before, SVC_SECRET: SECRET };
  expect(await fail('move --to postgres://a@127.0.0.1:1', secret)).toMatch(/(?:^|: )--to names no database/);
  expect(await fail('move', { ...after, SVC_DATA_DIR: temporaryFolder() })).toContain('There is no ledger in');
  await succeed('keys list', before);
});

test('after kill -9 nothing opens either ledger, and the next run completes the move', async () => {
  const { before, after } = await newMove();
  const expected = await answers(before, MORE_QUESTIONS);
  const client = new Client(after['SVC_DATABASE_URL']);
  await client.connect();
  onTestFinished(() => client.end());
  // The move reaches this table and waits.
  await client.query('BEGIN; LOCK TABLE tag_hour IN EXCLUSIVE MODE');
  const moving = spawn(process.execPath, [MAIN, 'move'], { env: { ...process.env, ...after }, stdio: 'ignore' });
  const ended = once(moving, 'exit');
  const waiting = "SELECT 1 FROM pg_locks WHERE relation = 'tag_hour'::regclass AND NOT granted";
  await eventually(
    () => client.query(waiting),
    ({ rowCount }) => rowCount === 1,
    MOVE_MS_MAX,
  );
  moving.kill('SIGKILL');
  await ended;
  await client.query('ROLLBACK');
  expect(await fail('keys list', before)).toContain('is being moved');
  expect(await fail('keys list', after)).toContain('not finished');
  await succeed('move', after);
  expect(await answers(after, MORE_QUESTIONS)).toEqual(expected);
});
