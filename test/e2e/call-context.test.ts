import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntriesPage } from '../../src/contract/entries.ts';
import type { SessionDetail, SessionList } from '../../src/contract/sessions.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { eventually, type Service, startService } from '../service.ts';

let double: ProviderDouble;
let service: Service;
let keys: { anthropic: string; openai: string };
beforeAll(async () => {
  double = await startProviderDouble();
  service = await startService({ urls: double.urls });
  keys = { anthropic: await service.createKey('anthropic'), openai: await service.createKey('openai') };
});
afterAll(async () => {
  await service?.close();
  await double?.close();
});

const SESSION = '4a9bc617-75a0-462a-8760-ba6a680d4cbb';
const THREAD = '01a205d2-b8bf-71d2-b708-dbd863716c17';
const CHILD = '01a205d2-b919-72a0-8e50-85560b45bf6b';
const TURN = '01a205d2-b8db-71c3-a84b-0ae39f2bf2ac';

async function callClaude(headers: Record<string, string>): Promise<Headers> {
  const answer = await fetch(`${service.baseUrl}/api/proxy/anthropic/v1/messages?beta=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.anthropic}`, 'user-agent': 'claude-cli/2.1.197', ...headers },
    body: JSON.stringify({ model: 'claude-haiku-4-5', max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  return answer.headers;
}

/** Headers of Codex as its version 0.169.0 sends them. */
function codexHeaders(thread: string, turn: Record<string, string>): Record<string, string> {
  const metadata = { session_id: THREAD, thread_id: thread, request_kind: 'turn', root_turn_id: TURN, ...turn };
  return {
    originator: 'codex_exec',
    'session-id': THREAD,
    'thread-id': thread,
    'x-codex-turn-metadata': JSON.stringify(metadata),
  };
}

async function callCodex(headers: Record<string, string>): Promise<void> {
  const answer = await fetch(`${service.baseUrl}/api/proxy/openai/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.openai}`, ...headers },
    body: JSON.stringify({ model: 'gpt-5-mini', max_output_tokens: 64, input: 'Hello' }),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
}

async function showSession(session: string, calls: number): Promise<SessionDetail> {
  await eventually(
    async () => await service.report<SessionList>('/api/mcp/sessions'),
    ({ sessions }) => sessions.some((each) => each.session === session && each.calls === calls),
  );
  return await service.report<SessionDetail>(`/api/mcp/session?session=${encodeURIComponent(session)}`);
}

test("Claude Code's headers become a session with a tree of agents", async () => {
  const session = { 'x-claude-code-session-id': SESSION };
  await callClaude(session);
  await callClaude({ ...session, 'x-claude-code-agent-id': 'ac32b04e561c4a81f' });
  await callClaude({
    ...session,
    'x-claude-code-agent-id': 'a9a16d8e2ff45c78c',
    'x-claude-code-parent-agent-id': 'ac32b04e561c4a81f',
  });
  const name = hash('sha256', `claude_code:${SESSION}`);
  const { agents, total, assistantSession } = await showSession(name, 3);
  expect(
    agents.map(({ agent, depth, own, withDescendants }) => [agent, depth, own.calls, withDescendants.calls]),
  ).toEqual([
    [null, 0, 1, 3],
    ['ac32b04e561c4a81f', 1, 1, 2],
    ['a9a16d8e2ff45c78c', 2, 1, 1],
  ]);
  expect(agents[0]?.withDescendants.cost).toBe(total.cost);
  expect(assistantSession).toEqual({ hash: name, synced: null });
  const shown = await service.command<SessionDetail>(['sessions', 'show', name]);
  expect(shown.total).toEqual(total);
});

test("Codex's headers become a session whose other threads are agents of one run", async () => {
  await callCodex(codexHeaders(THREAD, { turn_id: TURN }));
  await callCodex({
    ...codexHeaders(CHILD, { turn_id: 'other' }),
    'x-codex-parent-thread-id': THREAD,
    'x-openai-subagent': 'collab_spawn',
  });
  const { agents, runs } = await showSession(hash('sha256', `codex:${THREAD}`), 2);
  expect(agents.map(({ agent, depth, requestClasses }) => [agent, depth, requestClasses])).toEqual([
    [null, 0, ['turn']],
    [CHILD, 1, ['collab_spawn']],
  ]);
  expect(runs.map(({ value, calls }) => [value, calls])).toEqual([[TURN, 2]]);
});

test("own headers are recorded, win, and never reach the provider; the client's do unchanged", async () => {
  const client = { 'x-claude-code-session-id': SESSION, 'x-claude-code-agent-id': 'theirs' };
  const own = {
    'x-svc-session': 'ticket 42/b',
    'x-svc-agent': 'reviewer',
    'x-svc-parent-agent': 'lead',
    'x-svc-run': '7',
  };
  await callClaude({ ...client, ...own });
  const { agents } = await showSession('ticket 42/b', 1);
  expect(agents.map(({ agent, depth }) => [agent, depth])).toEqual([
    [null, 0],
    ['lead', 1],
    ['reviewer', 2],
  ]);
  const sent = double.requests.at(-1)?.headers ?? {};
  expect(sent).toMatchObject(client);
  expect(Object.keys(sent).filter((name) => name.startsWith('x-svc-'))).toEqual([]);
});

test('a malformed name is left out with a warning and never fails the call', async () => {
  const headers = await callClaude({ 'x-svc-session': 'x'.repeat(257), 'x-svc-run': 'good' });
  expect(headers.get('x-svc-warning')).toContain('x-svc-session is longer than 256 characters');
  const { entries } = await eventually(
    async () => await service.report<EntriesPage>('/api/mcp/entries?run=good'),
    (page) => page.entries.length === 1,
  );
  expect(entries[0]).toMatchObject({ session: null, run: 'good' });
  const { sessions } = await service.command<SessionList>(['sessions', 'list']);
  expect(sessions).toHaveLength(3);
});
