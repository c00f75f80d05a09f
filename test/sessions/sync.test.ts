import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { UsageSummary } from '../../src/contract/usage.ts';
import type { SessionRecord } from '../../src/domain/sessions/session-record.ts';
import { runLine } from '../run-line.ts';
import { seeded, seedOfRun } from '../seeded.ts';
import { openTestLedger, type TestLedger } from '../test-ledger.ts';
import { callTool, connectStdio } from '../tool-host.ts';
import { writeClaudeTree } from './claude-tree.ts';
import { RolloutDraft } from './codex-rollout.ts';
import { writeCodexTree } from './codex-tree.ts';
import { Prose } from './prose.ts';
import { DAY_MS } from '../../src/domain/time/units.ts';

const seed = seedOfRun();
const UNTIL = Date.UTC(2026, 9, 20);
const TREE_BYTES = 1_500_000;
const MARKER = 'mArKeR';
/** The trees are older than what is uploaded otherwise. */
const ALL = ' --max-age-hours 800000';

interface Synced {
  readonly records: number;
  readonly sessionsParsed: number;
  readonly calls: number;
  readonly cost: number;
  readonly uploaded?: { readonly cost: number; readonly replaced: number };
  readonly preview?: readonly SessionRecord[];
  readonly files?: readonly string[];
}

let home: string;
let claudePaths: readonly string[];
let made: { readonly claude: number; readonly codex: number };
let it: TestLedger;
let bodies: string[];
let close: () => void;
let env: Record<string, string>;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'sync-'));
  const random = seeded(seed);
  const wish = { bytes: TREE_BYTES, until: UNTIL };
  const claude = writeClaudeTree(random, new Prose(random), { ...wish, folder: join(home, '.claude', 'projects') });
  const codex = writeCodexTree(random, new Prose(random), { ...wish, folder: join(home, '.codex') });
  claudePaths = claude.paths;
  made = { claude: claude.calls.length, codex: codex.calls.length };
});
afterAll(() => rmSync(home, { recursive: true }));

/** A service that can be reached, with every body that it was sent. */
beforeEach(async () => {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  it.time.now = UNTIL + 60 * DAY_MS;
  bodies = [];
  const server = createServer((req, res) => {
    void buffer(req).then(async (bytes) => {
      bodies.push(bytes.toString());
      const request = new Request(`http://tollbook${req.url}`, {
        method: req.method ?? 'POST',
        headers: { authorization: req.headers.authorization ?? '', 'content-type': 'application/json' },
        body: bytes,
      });
      const answer = await it.ledger.fetch(request, { caller: 'public' });
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => void server.close();
  const { port } = server.address() as AddressInfo;
  env = { HOME: home, USERPROFILE: home, SVC_API_URL: `http://127.0.0.1:${port}`, SVC_API_KEY: await it.createToken() };
});
afterEach(async () => {
  close();
  await it.close();
});

async function sync(line: string, changes: Record<string, string> = {}): Promise<Synced> {
  const { code, out, err } = await runLine(`sync ${line} --json${line.includes('--max-age') ? '' : ALL}`, {
    env: { ...env, ...changes },
  });
  // The tree of Codex may have lost a file that another one repeats.
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(/^(?:Note: Codex: .* only from copies .*\n)?$/),
  });
  return JSON.parse(out) as Synced;
}

function uploadedRecords(): SessionRecord[] {
  return bodies.flatMap((body) => (JSON.parse(body) as { sessions: SessionRecord[] }).sessions);
}

const summary = () => it.json<UsageSummary>('/api/mcp/usage/summary?startDate=2026-01-01&endDate=2026-12-31');

describe(`tollbook sync, seed ${seed}`, () => {
  test.each(['claude', 'codex'] as const)(
    'of %s: the service has the same calls and cost, and again after a second sync',
    async (source) => {
      const assistant = source === 'claude' ? 'claude-code' : 'codex';
      const first = await sync(assistant);
      expect(first).toMatchObject({ calls: made[source], uploaded: { replaced: 0, cost: first.cost } });
      expect(first.cost).toBeGreaterThan(0);
      const before = await summary();
      expect(before).toMatchObject({ totalCost: first.cost, totalCalls: made[source] });
      expect(await sync(assistant)).toMatchObject({ uploaded: { replaced: first.records, cost: first.cost } });
      expect(await summary()).toEqual(before);
    },
  );

  test('uploads only hashes, models, times and numbers', async () => {
    const claude = join(home, 'marked', '.claude', 'projects', `-${MARKER}-project`);
    mkdirSync(claude, { recursive: true });
    const session = '11111111-2222-4333-8444-555555555555';
    const rows = [
      { type: 'user', cwd: `/home/${MARKER}`, message: { role: 'user', content: `a ${MARKER} prompt` } },
      answerRow('claude-opus-4-8', 'msg_1'),
      answerRow(`${MARKER} in place of a model`, 'msg_2'),
      ...['/home/', './/', '../', 'C:/Users/', 'file:///'].map((place) =>
        answerRow(`${place}${MARKER}/llama.gguf`, `msg_${place}`),
      ),
      { type: 'summary', summary: MARKER, leafUuid: MARKER },
    ].map((row) => Object.assign({ sessionId: session, userType: MARKER, gitBranch: MARKER, hostname: MARKER }, row));
    writeFileSync(join(claude, `${session}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const marked = { HOME: join(home, 'marked'), USERPROFILE: join(home, 'marked'), USER: MARKER, HOSTNAME: MARKER };
    const { files } = await sync('claude-code --file-list', marked);
    expect(files).toEqual([join(claude, `${session}.jsonl`)]);
    await sync('claude-code');
    await sync('codex');
    const sent = bodies.join('\n');
    for (const secret of [MARKER.toLowerCase(), session, 'jsonl', home, 'projects', 'prøjects', 'app-', 'svc_sk_'])
      expect(sent.toLowerCase()).not.toContain(secret.toLowerCase());
    expect(uploadedRecords().length).toBeGreaterThan(10);
    for (const { sessionId, projectId, model, timestamp, ...others } of uploadedRecords()) {
      expect([sessionId, projectId].every((hash) => /^[0-9a-f]{64}$/.test(hash))).toBe(true);
      expect(model).toMatch(/^(?:claude-|gpt-|codex-|\(other\)$)[\w.-]*$/);
      expect(new Date(timestamp).toISOString()).toBe(timestamp);
      for (const { speed, tier, geo, ...numbers } of [
        { ...others, shares: undefined },
        ...(others.shares ?? []),
      ] as Record<string, unknown>[]) {
        expect(['fast', 'other', undefined]).toContain(speed);
        expect(['batch', 'flex', 'priority', 'other', undefined]).toContain(tier);
        expect(['us', 'other', undefined]).toContain(geo);
        expect(Object.values(numbers).every((value) => value === undefined || Number.isSafeInteger(value))).toBe(true);
      }
    }
  });

  test('hashes projects with a secret that only its user may read', async () => {
    const [first] = (await sync('claude-code --dry-run --preview 1')).preview ?? [];
    expect(existsSync(join(home, '.config', 'tollbook', 'project-secret')) && bodies.length === 0).toBe(
      existsSync(secretFile()),
    );
    await sync('claude-code');
    const own = uploadedRecords().find(({ sessionId }) => sessionId === first?.sessionId)?.projectId;
    const again = (await sync('claude-code --dry-run --preview 1')).preview?.[0]?.projectId;
    expect(again).toBe(own);
    if (process.platform !== 'win32') expect(statSync(secretFile()).mode & 0o777).toBe(0o600);
    expect(bodies.join('')).not.toContain(readFileSync(secretFile(), 'utf8').trim());
    const elsewhere = await sync('claude-code --dry-run --preview 1', { XDG_CONFIG_HOME: join(home, 'other') });
    expect(elsewhere.preview?.[0]?.sessionId).toBe(first?.sessionId);
    expect(elsewhere.preview?.[0]?.projectId).not.toBe(own);
    expect(existsSync(join(home, 'other'))).toBe(false);
  });

  test('a dry run sends nothing, needs no token and shows what would be uploaded', async () => {
    const dry = await sync('claude-code --dry-run --preview 2', { SVC_API_KEY: '' });
    expect(bodies).toEqual([]);
    expect(dry.preview).toHaveLength(2);
    expect(dry).not.toHaveProperty('files');
    const shown = await runLine(`sync codex --dry-run${ALL}`, {
      env: { ...env, SVC_API_KEY: '', SVC_CODEX_AUTO_SYNC: 'false' },
    });
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('Nothing was sent.') });
    expect(shown.out.match(/"sessionId"/g)).toHaveLength(3);
    expect(bodies).toEqual([]);
  });

  test("refuses what can't be uploaded before it reads anything", async () => {
    const refused = async (line: string, changes: Record<string, string>) => {
      const { code, err, out } = await runLine(line, { env: { ...env, ...changes } });
      expect([code, out]).toEqual([1, '']);
      return err;
    };
    expect(await refused('sync codex', { SVC_CODEX_AUTO_SYNC: 'false' })).toContain('SVC_CODEX_AUTO_SYNC is false');
    expect(await refused('sync claude-code', { SVC_API_KEY: '' })).toMatch(/tokens create.*SVC_API_KEY.*SVC_API_URL/);
    const make = 'It is read from SVC_API_KEY; create one where the service runs with "tollbook tokens create --name';
    expect(await refused(`sync claude-code${ALL}`, { SVC_API_KEY: 'svc_sk_wrong' })).toContain(`revoked. ${make}`);
    const reader = await it.createToken(['usage:read']);
    expect(await refused(`sync claude-code${ALL}`, { SVC_API_KEY: reader })).toContain(
      `no scope "sync:write". Use one that has it. ${make}`,
    );
    expect(await refused('sync cursor', {})).toContain('use one of claude-code, codex, gemini-cli');
    expect((await runLine('sync codex --max-age-hours 0', { env })).code).toBe(2);
  });

  test('without sessions, a note names the settings for other folders', async () => {
    const none = join(home, 'none');
    const { code, out, err } = await runLine('sync codex --dry-run', {
      env: { ...env, HOME: none, USERPROFILE: none },
    });
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('0 records of 0 sessions: 0 calls') });
    expect(err).toContain('SVC_CODEX_SESSIONS_DIR');
  });

  test('skips calls with a wrong clock, says so, and uploads the others', async () => {
    const folder = join(home, 'clocks', '.claude', 'projects', '-x');
    mkdirSync(folder, { recursive: true });
    const rows = ['2026-09-10T10:00:00.000Z', '2099-01-01T00:00:00.000Z', '1970-01-01T00:00:01.000Z'].map((timestamp) =>
      JSON.stringify({ ...answerRow('claude-opus-4-8', `msg_${timestamp}`), timestamp }),
    );
    writeFileSync(join(folder, '11111111-2222-4333-8444-555555555555.jsonl'), `${rows.join('\n')}\n`);
    const there = join(home, 'clocks');
    const { code, out, err } = await runLine(`sync claude-code --json${ALL}`, {
      env: { ...env, HOME: there, USERPROFILE: there },
    });
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('not uploaded because of a wrong clock (in the future or before 2023): 2.'),
    ]);
    const synced = JSON.parse(out) as Synced;
    expect(synced).toMatchObject({ calls: 1, uploaded: { cost: synced.cost } });
    expect(uploadedRecords()).toHaveLength(1);
  });

  test('uploads recently changed sessions, each in full', async () => {
    const lately = claudePaths.find((path) => !path.includes('subagents'));
    // The tree may have but one session.
    const other = join(home, '.claude', 'projects', '-other', '11111111-2222-4333-8444-555555555555.jsonl');
    mkdirSync(dirname(other), { recursive: true });
    writeFileSync(other, `${JSON.stringify(answerRow('claude-opus-4-8', 'msg_other'))}\n`);
    const long = new Date(Date.now() - 10 * DAY_MS);
    for (const path of [...claudePaths, other]) utimesSync(path, long, long);
    const hour = new Date(Date.now() - DAY_MS / 24);
    utimesSync(lately ?? '', hour, hour);
    const recent = await sync('claude-code --dry-run --max-age-hours 2 --file-list');
    expect(recent.sessionsParsed).toBe(1);
    expect(recent.files).toContain(lately);
    expect((await sync('claude-code --dry-run --max-age-hours 300')).calls).toBe(made.claude + 1);
    rmSync(other);
  });
});

describe('a session that was copied into another', () => {
  const [ORIGIN, COPY] = ['11111111-2222-4333-8444-555555555555', '22222222-2222-4333-8444-555555555555'];
  let there: string;

  beforeEach(() => {
    there = mkdtempSync(join(tmpdir(), 'copied-'));
    mkdirSync(join(there, '.claude', 'projects', '-p'), { recursive: true });
  });
  afterEach(() => rmSync(there, { recursive: true }));

  const pathOf = (session: string) => join(there, '.claude', 'projects', '-p', `${session}.jsonl`);

  /** Calls by the minute at which they were made; old versions name the copy as if it had made them. */
  function write(session: string, minutes: readonly number[], output = 20): void {
    const rows = minutes.map((minute) => {
      const row = answerRow('claude-opus-4-8', `msg_${minute}`);
      const message = { ...row.message, usage: { ...row.message.usage, output_tokens: output } };
      return { ...row, message, sessionId: session, timestamp: `2026-09-10T10:${10 + minute}:00.000Z` };
    });
    writeFileSync(pathOf(session), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }

  async function synced(changes: Record<string, string> = {}) {
    const line = `sync claude-code --json${ALL}`;
    const { code, out, err } = await runLine(line, { env: { ...env, HOME: there, USERPROFILE: there, ...changes } });
    expect(code).toBe(0);
    return { calls: (JSON.parse(out) as Synced).calls, err };
  }

  const totalCalls = async () => (await summary()).totalCalls;

  test('counts each call once after its file is deleted, however often it is uploaded', async () => {
    write(ORIGIN, [1, 2]);
    await synced();
    write(COPY, [1, 2, 3]);
    expect(await synced()).toEqual({ calls: 3, err: '' });
    const before = await summary();
    expect(before.totalCalls).toBe(3);
    rmSync(pathOf(ORIGIN));
    const first = await synced();
    expect(first).toEqual({
      calls: 1,
      err: expect.stringContaining('already uploaded under the session from which they were copied: 2.'),
    });
    expect(await summary()).toEqual(before);
    write(COPY, [1, 2, 3, 4]);
    expect(await synced()).toEqual({ calls: 2, err: first.err });
    expect(await totalCalls()).toBe(4);
  });

  test('is recognized if it was copied after its last upload, and its later usage counts', async () => {
    write(ORIGIN, [1, 2], 3);
    await synced();
    rmSync(pathOf(ORIGIN));
    write(COPY, [1, 2, 3]);
    expect(await synced()).toMatchObject({ calls: 1 });
    expect(await totalCalls()).toBe(3);
  });

  test('counts as the copy if it was never uploaded, or uploaded to another workspace', async () => {
    write(ORIGIN, [1, 2]);
    rmSync(pathOf(ORIGIN));
    write(COPY, [1, 2, 3]);
    expect(await synced()).toEqual({ calls: 3, err: '' });
    rmSync(pathOf(COPY));
    write(ORIGIN, [1, 2, 3]);
    expect(await synced({ SVC_API_KEY: await it.createToken() })).toEqual({ calls: 3, err: '' });
  });

  test('a dry run leaves out the same calls and records nothing', async () => {
    const dry = async (changes: Record<string, string> = {}) => {
      const ran = { env: { ...env, HOME: there, USERPROFILE: there, ...changes } };
      return JSON.parse((await runLine(`sync claude-code --json --dry-run${ALL}`, ran)).out) as Synced;
    };
    const noted = join(there, '.config', 'tollbook', 'claude_code.uploaded');
    write(ORIGIN, [1, 2]);
    await dry();
    expect(existsSync(noted)).toBe(false);
    await synced();
    const notes = readFileSync(noted, 'utf8');
    if (process.platform !== 'win32') expect(statSync(noted).mode & 0o777).toBe(0o600);
    expect(notes).not.toContain(ORIGIN);
    expect(notes).not.toContain('svc_sk_');
    rmSync(pathOf(ORIGIN));
    write(COPY, [1, 2, 3]);
    expect(await dry()).toMatchObject({ calls: 1 });
    expect(await dry({ SVC_API_KEY: '' })).toMatchObject({ calls: 3 });
    expect(readFileSync(noted, 'utf8')).toBe(notes);
  });
});

describe('a Codex thread with forks', () => {
  const [ORIGIN, ONE, OTHER] = ['origin', 'fork-1', 'fork-2'];
  const AT = Date.UTC(2026, 8, 10, 12);
  let there: string;

  beforeEach(() => (there = mkdtempSync(join(tmpdir(), 'forked-'))));
  afterEach(() => rmSync(there, { recursive: true }));

  const pathOf = (thread: string) => join(there, '.codex', 'sessions', `${thread}.jsonl`);

  function write(draft: RolloutDraft): void {
    mkdirSync(dirname(pathOf(draft.thread)), { recursive: true });
    writeFileSync(pathOf(draft.thread), draft.text);
  }

  function origin(): RolloutDraft {
    const draft = new RolloutDraft({ thread: ORIGIN, at: AT }).turn('turn-1').wait(5_000);
    return draft.count({ input: 100, output: 10 }).wait(5_000).count({ input: 200, output: 20 });
  }

  /** Its copies have the time of the fork. */
  function fork(thread: string, input: number): RolloutDraft {
    const draft = new RolloutDraft({ thread, at: AT + input * 60_000, meta: { forked_from_id: ORIGIN } });
    return draft.replay(origin().rows, 5).wait(5_000).turn(`turn-${thread}`).count({ input, output: 1 });
  }

  async function synced() {
    const line = `sync codex --json${ALL}`;
    const { code, out, err } = await runLine(line, { env: { ...env, HOME: there, USERPROFILE: there } });
    expect(code).toBe(0);
    return { calls: (JSON.parse(out) as Synced).calls, notes: err.split('\n').filter((note) => note !== '') };
  }

  const NOTE = expect.stringContaining('2 calls (330 tokens) are known only from copies');
  const totalCalls = async () => (await summary()).totalCalls;

  test('counts each call once after its file and that of the first fork are deleted', async () => {
    write(origin());
    expect(await synced()).toEqual({ calls: 2, notes: [] });
    write(fork(ONE, 7));
    write(fork(OTHER, 8));
    expect(await synced()).toEqual({ calls: 4, notes: [] });
    for (const gone of [ORIGIN, ONE]) {
      rmSync(pathOf(gone));
      const uploaded = expect.stringContaining('already uploaded under the session from which they were copied: 2.');
      expect(await synced()).toEqual({ calls: gone === ORIGIN ? 2 : 1, notes: [NOTE, uploaded] });
      expect(await totalCalls()).toBe(4);
    }
  });

  test('is uploaded once with the first fork if it was never uploaded before', async () => {
    write(fork(ONE, 7));
    write(fork(OTHER, 8));
    expect(await synced()).toEqual({ calls: 4, notes: [NOTE] });
    expect(await synced()).toEqual({ calls: 4, notes: [NOTE] });
    rmSync(pathOf(ONE));
    expect(await synced()).toMatchObject({ calls: 1 });
    expect(await totalCalls()).toBe(4);
  });

  test('is mentioned by usage and by the tools', async () => {
    write(fork(ONE, 7));
    const machine = { ...env, HOME: there, USERPROFILE: there };
    const note = '2 calls (330 tokens) are known only from copies';
    const { out, err } = await runLine('usage codex', { env: machine });
    expect(out + err).toContain(note);
    const { host } = await connectStdio(machine);
    const wish = { maxAgeHours: 8_760 };
    for (const [tool, more] of Object.entries({
      svc_get_local_codex_usage: {},
      svc_list_codex_sessions: {},
      svc_sync_codex_usage: { dryRun: true },
    }))
      expect((await callTool(host, tool, { ...wish, ...more })).text).toContain(note);
    await host.close();
  });
});

function secretFile(): string {
  return join(home, '.config', 'tollbook', 'project-secret');
}

function answerRow(model: string, id: string) {
  const usage = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const content = [{ type: 'text', text: `${MARKER} answer` }];
  return {
    type: 'assistant',
    cwd: `/home/${MARKER}`,
    requestId: `req_${id}`,
    uuid: id,
    timestamp: '2026-09-10T10:00:00.000Z',
    message: { id, model, role: 'assistant', type: 'message', content, stop_reason: 'end_turn', usage },
  };
}
