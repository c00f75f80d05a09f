import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runLine } from '../../test/run-line.ts';
import { formatSecret } from '../domain/identity/secret.ts';

const NOW = Date.parse('2026-06-01T10:14:00.000Z');
const KEY = formatSecret(new Uint8Array(128).fill(7)).text;
const STDIN = JSON.stringify({ session_id: 'session-1' });

let home: string;
let server: Server;
let asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
let limits: object[];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'tollbook-statusline-'));
  asked = [];
  limits = [limit({}), limit({ remaining: 4, amount: 5 }), limit({ unit: 'concurrency', remaining: 0 })];
  server = createServer((req, res) => {
    asked.push({ path: req.url ?? '', headers: req.headers });
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ key: 'mine', limits }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.close();
  rmSync(home, { recursive: true });
});

/** By default, half of $10 a day is left. */
function limit(more: object): object {
  const figures = { unit: 'usd', action: 'block', amount: 10, held: 0, remaining: 5, counted: 5, uncertain: 0 };
  const names = { id: 'lim_1', label: null, description: '$10.00 a day', window: 'day', resetsAt: null, summary: '' };
  return { ...names, ...figures, ...more };
}

function env(base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/proxy/anthropic`) {
  return { HOME: home, USERPROFILE: home, ANTHROPIC_BASE_URL: base, ANTHROPIC_AUTH_TOKEN: KEY };
}

async function line(words = 'statusline', at = NOW, variables: Record<string, string> = env()): Promise<string> {
  const { code, out, err } = await runLine(words, { env: variables, stdin: STDIN, clock: () => at });
  expect([code, err]).toEqual([0, '']);
  return out;
}

test('the status line shows the remaining amount of the tightest limit of its session', async () => {
  expect(await line()).toBe('$0.00 today · $5.00 of $10.00 a day left\n');
  expect(asked).toMatchObject([
    { path: '/api/proxy/limits', headers: { authorization: `Bearer ${KEY}`, 'x-claude-code-session-id': 'session-1' } },
  ]);
});

test('a wrapped key in the custom headers is found too', async () => {
  const { ANTHROPIC_AUTH_TOKEN: _none, ...others } = env();
  const headers = `x-team: a\nx-svc-key: ${KEY}`;
  expect(await line('statusline', NOW, { ...others, ANTHROPIC_CUSTOM_HEADERS: headers })).toContain('a day left');
});

test('the service is called once in five seconds', async () => {
  await line();
  limits = [limit({ remaining: 1 })];
  expect(await line('statusline', NOW + 4_999)).toContain('$5.00 of $10.00 a day left');
  expect(await line('statusline', NOW + 5_000)).toContain('$1.00 of $10.00 a day left');
  expect(asked).toHaveLength(2);
});

test('a limit that only warns is shown if none blocks', async () => {
  limits = [limit({ remaining: 1, action: 'warn' }), limit({})];
  expect(await line()).toContain('$5.00 of $10.00');
  limits = [limit({ remaining: 1, action: 'warn' })];
  expect(await line('statusline', NOW + 5_000)).toContain('$1.00 of $10.00');
});

test('limits are left out with --no-limits, without a wrapped key, and while the service is unreachable', async () => {
  expect(await line('statusline --no-limits')).toBe('$0.00 today\n');
  expect(await line('statusline', NOW, { ...env(), ANTHROPIC_AUTH_TOKEN: 'sk-ant-1' })).toBe('$0.00 today\n');
  expect(await line('statusline', NOW, env('https://api.anthropic.com'))).toBe('$0.00 today\n');
  expect(asked).toEqual([]);
  expect(await line('statusline', NOW, env('http://127.0.0.1:9/api/proxy/anthropic'))).toBe('$0.00 today\n');
});
