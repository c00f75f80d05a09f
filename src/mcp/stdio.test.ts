import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAIN, type Service, startService } from '../../test/service.ts';
import { callTool, connectStdio, ERAS } from '../../test/tool-host.ts';
import { tools } from './tools.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';

let home: string;
let service: Service;
let env: Record<string, string>;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'tollbook-tools-'));
  const folder = join(home, '.claude', 'projects', '-w-marked-project');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${SESSION}.jsonl`), `${[1, 2].map(row).join('\n')}\n`);
  // A session in which nothing was answered.
  writeFileSync(join(folder, '22222222-2222-4333-8444-555555555555.jsonl'), '{"type":"user","message":{}}\n');
  service = await startService({ urls: {} });
  env = { HOME: home, USERPROFILE: home, SVC_API_URL: service.baseUrl, SVC_API_KEY: await service.createToken() };
});
afterAll(async () => {
  await service.close();
  rmSync(home, { recursive: true });
});

function row(number: number): string {
  return JSON.stringify({
    type: 'assistant',
    cwd: '/w/marked-project',
    sessionId: SESSION,
    timestamp: new Date().toISOString(),
    requestId: `req_${number}`,
    message: {
      id: `msg_${number}`,
      model: 'claude-opus-4-8',
      content: [{ type: 'text', text: 'marked prompt' }],
      usage: { input_tokens: 1_000, output_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    },
  });
}

describe.each(ERAS)('a host of the %s era', (era) => {
  test('gets every tool, and results of the service and of this machine', async () => {
    const { host, told } = await connectStdio(env, era);
    const listed = (await host.listTools()).tools;
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    const summary = await callTool(host, 'svc_get_usage_summary');
    expect(summary).toMatchObject({ isError: false, data: { totalCalls: 0 } });
    const local = await callTool(host, 'svc_get_local_claude_code_usage', { subscriptionPlan: 'pro' });
    expect(local.data).toMatchObject({ sessions: 1, totals: { calls: 2, inputTokens: 2_000, cost: 0.015 } });
    expect(local.data?.['savings']).toMatchObject({ plan: 'pro', retailCost: 0.015, status: 'Below Breakeven' });
    const sessions = await callTool(host, 'svc_list_claude_code_sessions');
    expect(sessions.data?.['sessions']).toMatchObject([{ sessionId: SESSION, project: 'marked-project', calls: 2 }]);
    expect(sessions.text).not.toContain('/w/');
    await host.close();
    expect(told()).toBe('');
  });
});

test('tools for any assistant read the sessions of the one that is named', async () => {
  const own = mkdtempSync(join(tmpdir(), 'tollbook-gemini-'));
  cpSync('src/sessions/gemini-cli/fixture', own, { recursive: true });
  const { host } = await connectStdio({ ...env, HOME: own, USERPROFILE: own });
  const wish = { source: 'gemini_cli', maxAgeHours: 80_000 };
  const local = await callTool(host, 'svc_get_local_usage', wish);
  expect(local.data).toMatchObject({ source: 'gemini_cli', sessions: 1, totals: { calls: 4, inputTokens: 31_268 } });
  expect((await callTool(host, 'svc_list_sessions', wish)).text).toContain('1 session of Gemini CLI');
  const dry = await callTool(host, 'svc_sync_usage', { ...wish, dryRun: true });
  expect(dry.data).toMatchObject({ source: 'gemini_cli', sessionsParsed: 1, calls: 4 });
  expect(JSON.stringify(dry.data?.['preview'])).not.toContain('atlas');
  await host.close();
  rmSync(own, { recursive: true });
});

test('without a service or a token, local tools work and the others say what to do', async () => {
  const { host } = await connectStdio({ HOME: home, USERPROFILE: home, SVC_API_URL: 'http://127.0.0.1:9' });
  expect((await callTool(host, 'svc_get_local_claude_code_usage')).data).toMatchObject({ sessions: 1 });
  expect((await callTool(host, 'svc_list_codex_sessions')).text).toContain('No session of Codex');
  expect((await callTool(host, 'svc_get_local_codex_usage')).data).toMatchObject({ sessions: 0 });
  expect(await callTool(host, 'svc_list_webhooks')).toMatchObject({
    isError: true,
    text: expect.stringContaining('No access token is set'),
  });
  await host.close();
});

test('svc_get_limits shows the limits of the wrapped key that the client uses, without an access token', async () => {
  const key = await service.createKey('anthropic');
  await service.command(['limits', 'set', '--unit', 'calls', '--amount', '7', '--window', 'total']);
  const client = { ANTHROPIC_BASE_URL: `${service.baseUrl}/api/proxy/anthropic`, ANTHROPIC_AUTH_TOKEN: key };
  const { host } = await connectStdio({ HOME: home, USERPROFILE: home, SVC_API_URL: service.baseUrl, ...client });
  const { data, text } = await callTool(host, 'svc_get_limits');
  expect(data).toMatchObject({
    of: 'key',
    limits: [{ amount: 7, used: 0, reserved: 0, remaining: 7, resetsAt: null }],
  });
  expect(text).toContain('7 calls are left of 7 calls in total for all calls. Further calls are refused.');
  await host.close();
});

test('an invalid setting is named, and nothing is served', async () => {
  const { code, out, err } = await run(['tools'], { SVC_API_URL: 'nowhere' });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('SVC_API_URL');
});

test('it writes only the protocol, and ends when the host closes its side', async () => {
  const lines = [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'svc_list_codex_sessions', arguments: { limit: 0 } },
    },
  ];
  const child = spawn(process.execPath, [MAIN, 'tools'], { env: { ...process.env, ...env } });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    out += piece;
    if (out.includes('"id":2')) child.stdin.end();
  });
  child.stdin.write(`not json\n${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number | null });
  expect(answers.map(({ id }) => id).filter((id) => id !== null)).toEqual([1, 2]);
});

test('--self-test prints as JSON what a host would find', async () => {
  const { out } = await run(['tools', '--self-test'], env);
  expect(JSON.parse(out)).toMatchObject({
    env: { hasApiKey: true, autoSyncEnabled: false, codexAutoSyncEnabled: false, apiUrl: service.baseUrl },
    local: { claudeCodeDir: join(home, '.claude', 'projects'), codexDir: null },
    service: { reachable: true, accepted: true },
    tools: tools.map(({ name }) => name),
  });
  expect(out).not.toContain(env['SVC_API_KEY']);
  const nobody = await run(['tools', '--self-test'], { ...env, SVC_API_URL: 'http://127.0.0.1:9' });
  expect(JSON.parse(nobody.out)).toMatchObject({ service: { reachable: false } });
});

test('--what-we-read prints the folders', async () => {
  const { out } = await run(['tools', '--what-we-read'], env);
  expect(out).toContain(join(home, '.claude', 'projects'));
  expect(out).toContain(join(home, '.codex', 'sessions'));
});

async function run(args: readonly string[], settings: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env['PATH'], HOME: home, ...settings },
  });
  const ran = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (ran.out += piece));
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (ran.err += piece));
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number];
  return { code, ...ran };
}

test.each([
  [['tools', '--yes'], 'need --setup'],
  [['tools', 'codex'], 'tools --setup codex'],
  [['tools', '--setup', '--self-test'], 'cannot be used with'],
])('%j is refused instead of served', async (args, sentence) => {
  const { code, err } = await run(args, env);
  expect(code).toBeGreaterThan(0);
  expect(err).toContain(sentence);
});
