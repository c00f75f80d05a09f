import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../test/service.ts';
import { callTool, connectStdio } from '../../test/tool-host.ts';
import { readToolSettings } from '../config.ts';
import { autoSync } from './auto-sync.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';
const MARKERS = ['marked-folder', 'marked prompt', 'marked answer', SESSION, 'marked-home'];

interface Request {
  readonly url: string;
  readonly authorization: string;
  readonly body: string;
}

let home: string;
let server: Server;
let requests: Request[];
let env: Record<string, string>;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'marked-home-'));
  requests = [];
  server = createServer((request, answer) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      requests.push({ url: request.url ?? '', authorization: request.headers.authorization ?? '', body });
      const { sessions = [] } = JSON.parse(body || '{}') as { sessions?: unknown[] };
      answer.end(JSON.stringify({ records: sessions.length, sessions: 1, replaced: 0, cost: 0.0075, calls: 1 }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  env = { HOME: home, USERPROFILE: home, SVC_API_URL: `http://127.0.0.1:${port}`, SVC_API_KEY: 'svc_sk_test' };
  writeSession();
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(home, { recursive: true, force: true });
});

function writeSession(): void {
  const folder = join(home, '.claude', 'projects', '-w-marked-folder');
  mkdirSync(folder, { recursive: true });
  const usage = { input_tokens: 1_000, output_tokens: 100 };
  const message = { id: 'msg_1', model: 'claude-opus-4-8', content: [{ type: 'text', text: 'marked answer' }], usage };
  const common = { cwd: '/w/marked-folder', sessionId: SESSION, timestamp: new Date().toISOString() };
  const rows = [
    { ...common, type: 'user', message: { role: 'user', content: 'marked prompt' } },
    { ...common, type: 'assistant', requestId: 'req_1', message },
  ];
  writeFileSync(join(folder, `${SESSION}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

const uploads = (): Request[] => requests.filter(({ url }) => url.startsWith('/api/mcp/sync/'));

describe('svc_sync_claude_code_usage', () => {
  test('uploads hashes, times and numbers, and nothing about the work or its location', async () => {
    const { host } = await connectStdio(env);
    const seen: number[] = [];
    const said = await host.callTool(
      { name: 'svc_sync_claude_code_usage', arguments: { includeFileList: true } },
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    await host.close();
    expect(said.structuredContent).toMatchObject({ sessionsParsed: 1, calls: 1, records: 1, uploaded: { records: 1 } });
    expect(said.structuredContent).toMatchObject({ files: [expect.stringContaining('marked-folder')] });
    expect(seen.at(-1)).toBe(100);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(requests).toMatchObject([{ url: '/api/mcp/sync/claude-code', authorization: 'Bearer svc_sk_test' }]);
    const body = requests[0]?.body ?? '';
    expect(MARKERS.filter((marker) => body.includes(marker))).toEqual([]);
    const [record] = (JSON.parse(body) as { sessions: Record<string, unknown>[] }).sessions;
    expect(record).toMatchObject({ model: 'claude-opus-4-8', inputTokens: 1_000, outputTokens: 100 });
  });

  test('as a dry run shows the same records without a token and without a network request', async () => {
    const { SVC_API_KEY: _, ...without } = env;
    const { host } = await connectStdio(without);
    const { data, text } = await callTool(host, 'svc_sync_claude_code_usage', { dryRun: true });
    const none = await callTool(host, 'svc_sync_claude_code_usage', { dryRun: true, previewLimit: 0 });
    const refused = await callTool(host, 'svc_sync_claude_code_usage');
    await callTool(host, 'svc_sync_claude_code_usage', { apiKey: 'svc_sk_other' });
    const nothing = await callTool(host, 'svc_sync_codex_usage', { dryRun: true });
    await host.close();
    expect(data).toMatchObject({ dryRun: true, records: 1, preview: [{ inputTokens: 1_000 }] });
    expect(text).toContain('nothing was uploaded');
    expect(none.data?.['preview']).toEqual([]);
    expect(nothing.text).toContain('0 sessions');
    expect(nothing.text).toContain('SVC_CODEX_SESSIONS_DIR');
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('No access token is set') });
    expect(requests.map(({ authorization }) => authorization)).toEqual(['Bearer svc_sk_other']);
  });
});

test('SVC_CODEX_AUTO_SYNC=false keeps Codex from being uploaded and is named; a dry run and lists work', async () => {
  const { host } = await connectStdio({ ...env, SVC_CODEX_AUTO_SYNC: 'false' });
  const refused = await callTool(host, 'svc_sync_codex_usage');
  const dry = await callTool(host, 'svc_sync_codex_usage', { dryRun: true });
  const listed = await callTool(host, 'svc_list_codex_sessions');
  await host.close();
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('SVC_CODEX_AUTO_SYNC=false') });
  expect([dry.isError, listed.isError]).toEqual([false, false]);
  expect(requests).toEqual([]);
});

describe('SVC_AUTO_SYNC=true', () => {
  test('uploads when a tool is called, once for many servers', async () => {
    for (let servers = 0; servers < 2; servers += 1) {
      const { host } = await connectStdio({ ...env, SVC_AUTO_SYNC: 'true' });
      await callTool(host, 'svc_list_claude_code_sessions');
      await callTool(host, 'svc_list_codex_sessions');
      await host.close();
    }
    await eventually(
      () => Promise.resolve(uploads()),
      (seen) => seen.length > 0,
    );
    expect(uploads().map(({ url }) => url)).toEqual(['/api/mcp/sync/claude-code']);
  });

  test.each([
    ['some minutes later', 11, 2],
    ['sooner', 9, 1],
    ['after the clock was set back', -60, 2],
  ])('starts another sync %s', (_, minutes, expected) => {
    let now = Date.parse('2026-11-21T12:00:00Z');
    let started = 0;
    const open = () =>
      autoSync({
        settings: readToolSettings({ ...env, SVC_AUTO_SYNC: 'true' }),
        machine: { env, timeZone: 'UTC', codexSync: true },
        clock: () => now,
        onError: () => undefined,
        start: () => void (started += 1),
      });
    const first = open();
    first();
    first();
    now += minutes * 60_000;
    open()();
    expect(started).toBe(expected);
  });

  test.each([{}, { SVC_AUTO_SYNC: 'false' }, { SVC_AUTO_SYNC: 'true', SVC_API_KEY: '' }])(
    'with %j instead, nothing is started',
    (settings) => {
      let started = 0;
      const hear = autoSync({
        settings: readToolSettings({ ...env, ...settings }),
        machine: { env, timeZone: 'UTC', codexSync: true },
        clock: Date.now,
        onError: () => undefined,
        start: () => void (started += 1),
      });
      hear();
      expect(started).toBe(0);
    },
  );

  test('reports problems in the log, and never to the caller', () => {
    const problems: unknown[] = [];
    const hear = autoSync({
      settings: readToolSettings({ ...env, SVC_AUTO_SYNC: 'true' }),
      machine: { env, timeZone: 'UTC', codexSync: true },
      clock: Date.now,
      onError: (error) => problems.push(error),
      start: () => {
        throw new Error('no room');
      },
    });
    hear();
    expect(problems).toMatchObject([{ message: 'no room' }]);
  });
});
