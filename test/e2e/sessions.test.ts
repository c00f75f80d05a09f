import { randomUUID, hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UsageSummary } from '../../src/contract/usage.ts';
import { sessionText } from '../../src/domain/sessions/local-call.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { runLine } from '../run-line.ts';
import { eventually, type Service, startService } from '../service.ts';

// Sessions of coding assistants go through the gate, wholly or in part, and are uploaded from their files too.

const MODEL = 'claude-haiku-4-5';
/** Of 10 input and 20 output tokens at $1 and $5 for a million, as the double answers. */
const COST = 0.000_11;

let double: ProviderDouble;
let folder: string;
let service: Service;
let keys: { anthropic: string; openai: string };
let token: string;

beforeAll(async () => {
  double = await startProviderDouble();
  folder = mkdtempSync(join(tmpdir(), 'tollbook-sessions-'));
  service = await startService({ urls: double.urls, dataDir: join(folder, 'data') });
  keys = { anthropic: await service.createKey('anthropic'), openai: await service.createKey('openai') };
  token = await service.createToken();
});
afterAll(async () => {
  await service?.close();
  await double?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function callClaude(session: string): Promise<void> {
  const answer = await fetch(`${service.baseUrl}/api/proxy/anthropic/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.anthropic}`, 'x-claude-code-session-id': session },
    body: JSON.stringify({ model: MODEL, max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
}

/** A session file that tells of so many answers, each as the double gives them. */
function writeSession(session: string, answers: number): void {
  mkdirSync(dirname(fileOf(session)), { recursive: true });
  const rows = Array.from({ length: answers }, (_, index) => ({
    type: 'assistant',
    sessionId: session,
    cwd: '/code',
    uuid: `${session} ${index}`,
    requestId: `req_${session}_${index}`,
    timestamp: new Date().toISOString(),
    message: {
      id: `msg_${session}_${index}`,
      model: MODEL,
      role: 'assistant',
      stop_reason: 'end_turn',
      content: [],
      usage: { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    },
  }));
  writeFileSync(fileOf(session), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

function fileOf(session: string): string {
  return join(folder, 'home', '.claude', 'projects', '-code', `${session}.jsonl`);
}

async function sync(note = ''): Promise<void> {
  const home = join(folder, 'home');
  const env = { HOME: home, USERPROFILE: home, SVC_API_URL: service.baseUrl, SVC_API_KEY: token };
  const { code, err } = await runLine('sync claude-code --json', { env });
  expect({ code, err }).toEqual({ code: 0, err: note === '' ? '' : expect.stringContaining(note) });
}

const summary = () => service.report<UsageSummary>('/api/mcp/usage/summary');

/** Once the book has all that the gate saw. */
async function expectCalls(calls: number): Promise<void> {
  const { totalCost } = await eventually(summary, ({ totalCalls }) => totalCalls >= calls);
  const lag = async () => /^tollbook_journal_lag 0$/m.test(await (await fetch(`${service.baseUrl}/metrics`)).text());
  await eventually(lag, (none) => none);
  expect(await summary()).toMatchObject({
    totalCalls: calls,
    totalInputTokens: 10 * calls,
    totalOutputTokens: 20 * calls,
  });
  expect(totalCost).toBeCloseTo(COST * calls, 9);
}

test('each call counts once: gateway first, upload first, in part, grown, after a crash and from Codex', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  // Three calls went through the gate, then their file with a fourth is uploaded.
  for (let call = 0; call < 3; call += 1) await callClaude(first);
  await expectCalls(3);
  writeSession(first, 4);
  await sync();
  await expectCalls(4);
  // A file is uploaded first, and its calls are seen at the gate while they are booked.
  writeSession(second, 2);
  await sync();
  await expectCalls(6);
  await Promise.all([callClaude(second), callClaude(second)]);
  await expectCalls(6);
  // The session grows on both sides, and is uploaded again and again.
  await callClaude(first);
  writeSession(first, 6);
  await sync();
  await sync();
  await expectCalls(8);
  await service.kill();
  service = await startService({ urls: double.urls, dataDir: join(folder, 'data') });
  await expectCalls(8);

  // Codex names its session in other headers, and logs the model that it asked for.
  const codex = randomUUID();
  const asked = await fetch(`${service.baseUrl}/api/proxy/openai/v1/responses`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${keys.openai}`,
      'session-id': codex,
      originator: 'Codex Desktop',
      'x-double': JSON.stringify({ model: 'gpt-5-2025-08-07' }),
    },
    body: JSON.stringify({ model: 'gpt-5', input: 'Hello' }),
  });
  expect([asked.status, await asked.text()]).toEqual([200, expect.any(String)]);
  const before = await eventually(summary, ({ totalCalls }) => totalCalls === 9);
  const record = {
    sessionId: hash('sha256', sessionText('codex', codex)),
    projectId: '0'.repeat(64),
    model: 'gpt-5',
    inputTokens: 10,
    outputTokens: 20,
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    timestamp: new Date().toISOString(),
    calls: 1,
  };
  const uploaded = await fetch(`${service.baseUrl}/api/mcp/sync/codex`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sessions: [record] }),
  });
  expect(await uploaded.json()).toMatchObject({ records: 1, calls: 0, cost: 0 });
  expect(Object.assign(await summary(), { period: null })).toEqual(Object.assign(before, { period: null }));
});

test('each call counts once even if its session was forked, continued and deleted', async () => {
  const [origin, fork] = [randomUUID(), randomUUID()];
  const { totalCalls: before } = await summary();
  const counts = (calls: number) => eventually(summary, ({ totalCalls }) => totalCalls === before + calls);
  await Promise.all([callClaude(origin), callClaude(origin)]);
  await counts(2);
  // The fork repeats both answers as its own, and has one more.
  writeSession(origin, 2);
  const copies = readFileSync(fileOf(origin), 'utf8').replaceAll(
    `"sessionId":"${origin}"`,
    `"sessionId":"${fork}","requestSessionId":"${origin}"`,
  );
  writeSession(fork, 1);
  writeFileSync(fileOf(fork), copies + readFileSync(fileOf(fork), 'utf8'));
  await sync();
  await counts(3);
  writeSession(origin, 3);
  await sync();
  await counts(4);
  rmSync(fileOf(origin));
  await sync('2 calls (60 tokens) are known only from copies');
  expect((await summary()).totalCalls).toBe(before + 4);
});
