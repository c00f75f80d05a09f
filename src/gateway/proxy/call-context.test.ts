import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { NO_CONTEXT } from '../../domain/usage/call-context.ts';
import { readCallContext } from './call-context.ts';

const ID = '01a1ff52-6e0e-7b31-a906-5483f831c019';
const CLAUDE = hash('sha256', `claude_code:${ID}`);
const CODEX = hash('sha256', `codex:${ID}`);
const OPENCODE = hash('sha256', `opencode:${ID}`);
const KILO = hash('sha256', `kilo_code:${ID}`);
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const context = (headers: IncomingHttpHeaders) => readCallContext(headers).context;

test.each([
  ['Claude Code', { 'x-claude-code-session-id': ID }, CLAUDE],
  ['Codex', { 'session-id': ID, originator: 'codex_exec' }, CODEX],
  ['Codex, under another name', { 'session-id': ID, originator: 'My Desktop' }, CODEX],
  ['an older Codex', { session_id: ID, originator: 'codex_cli_rs' }, CODEX],
  ['OpenCode', { 'x-session-id': ID, 'user-agent': 'opencode/1.18.33 ai-sdk' }, OPENCODE],
  ['OpenCode, to its own service', { 'x-opencode-session': ID, 'user-agent': 'opencode/1.18.33' }, OPENCODE],
  ['Kilo Code', { 'x-session-id': ID, 'user-agent': 'kilo/latest/7.7.7/cli ai-sdk' }, KILO],
  ['a client with the same header', { 'x-session-id': ID, 'user-agent': 'other' }, null],
  ['another client', { 'session-id': ID }, null],
  ['no client', {}, null],
  ['a session id that is none', { 'x-claude-code-session-id': 'x'.repeat(129) }, null],
])('the session of %s has the hash of synced records', (_, headers, expected) => {
  const reading = readCallContext(headers);
  expect(reading.sessionHash).toBe(expected);
  expect(reading.context.session).toBe(expected);
});

test('a call without context headers shares one context', () => {
  expect(context({ 'user-agent': 'x', accept: '*/*' })).toBe(NO_CONTEXT);
});

test("Claude Code's headers name agent, parent, prompt and class", () => {
  expect(
    context({
      'x-claude-code-session-id': ID,
      'x-claude-code-agent-id': 'a2',
      'x-claude-code-parent-agent-id': 'a1',
      'x-claude-code-prompt-id': 'p1',
      'x-claude-code-request-class': 'subagent',
    }),
  ).toEqual({ session: CLAUDE, agent: 'a2', parentAgent: 'a1', run: 'p1', requestClass: 'subagent' });
});

test("a thread of Codex that is not the session's own is an agent", () => {
  const headers = {
    originator: 'codex_exec',
    'session-id': ID,
    'x-codex-turn-metadata': `{"session_id":"${ID}","turn_id":"t1","request_kind":"turn"}`,
  };
  expect(context({ ...headers, 'thread-id': ID })).toEqual({
    session: CODEX,
    agent: null,
    parentAgent: null,
    run: 't1',
    requestClass: 'turn',
  });
  const child = context({
    ...headers,
    'thread-id': 'other',
    'x-codex-parent-thread-id': ID,
    'x-openai-subagent': 'collab_spawn',
    'x-codex-turn-metadata': `{"turn_id":"t2","request_kind":"turn","root_turn_id":"t1"}`,
  });
  expect(child).toEqual({ session: CODEX, agent: 'other', parentAgent: null, run: 't1', requestClass: 'collab_spawn' });
  const grandchild = context({ ...headers, 'thread-id': 'third', 'x-codex-parent-thread-id': 'other' });
  expect(grandchild).toMatchObject({ agent: 'third', parentAgent: 'other' });
});

test('a secret in the turn of Codex names no run', () => {
  const metadata = `{"turn_id":"svc_sk_abcdef","request_kind":"turn"}`;
  const headers = { originator: 'codex_exec', 'session-id': ID, 'x-codex-turn-metadata': metadata };
  expect(context(headers)).toMatchObject({ run: null, requestClass: 'turn' });
});

describe('Tollbook’s own headers', () => {
  const own = { 'x-svc-session': ' ticket 42 ', 'x-svc-agent': 'a', 'x-svc-parent-agent': 'b', 'x-svc-run': 'r' };

  test('are trimmed, and win over those of the client', () => {
    const all = {
      ...own,
      'x-claude-code-session-id': ID,
      'x-claude-code-agent-id': 'x',
      'x-claude-code-parent-agent-id': 'y',
      'x-claude-code-prompt-id': 'z',
      traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
    };
    const names = { session: 'ticket 42', agent: 'a', parentAgent: 'b', run: 'r', requestClass: null };
    expect(context(own)).toEqual(names);
    const parentSpan = `${TRACE}-b7ad6b7169203331-01`;
    expect(readCallContext(all)).toEqual({ context: { ...names, parentSpan }, sessionHash: CLAUDE, warnings: [] });
  });

  test('of an agent replace its parent too', () => {
    const client = { 'x-claude-code-session-id': ID, 'x-claude-code-parent-agent-id': 'y' };
    expect(context({ ...client, 'x-svc-agent': 'a' }).parentAgent).toBeNull();
  });

  test('name no parent without an agent, and no agent as its own parent', () => {
    expect(context({ ...own, 'x-svc-agent': undefined }).parentAgent).toBeNull();
    expect(context({ ...own, 'x-svc-parent-agent': 'a' }).parentAgent).toBeNull();
  });

  test.each([
    ['x'.repeat(257), 'the value of x-svc-session is longer than 256 characters'],
    ['a\u0007b', 'the value of x-svc-session has control characters'],
    ['', 'x-svc-session has no value'],
    ['svc_sk_1234567890', 'x-svc-session holds a secret'],
  ])('with a malformed value are left out with a warning (%#)', (value, warning) => {
    const reading = readCallContext({ ...own, 'x-svc-session': value });
    expect(reading.context.session).toBeNull();
    expect(reading.context.agent).toBe('a');
    expect(reading.warnings).toEqual([warning]);
  });
});

test.each([
  [`00-${TRACE}-b7ad6b7169203331-01`, TRACE],
  [`cc-${TRACE}-b7ad6b7169203331-01-more`, TRACE],
  [`00-${'0'.repeat(32)}-b7ad6b7169203331-01`, null],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, null],
  ['nonsense', null],
])('a trace is a run if no other is named: %s', (traceparent, run) => {
  expect(readCallContext({ traceparent }).context.run).toBe(run);
  expect(readCallContext({ traceparent }).warnings).toEqual([]);
  expect(context({ traceparent, 'x-svc-run': 'mine' }).run).toBe('mine');
});

test('the span that sent a call is kept with its trace, also if another run is named', () => {
  const traceparent = `00-${TRACE}-b7ad6b7169203331-00`;
  for (const headers of [{ traceparent }, { traceparent, 'x-svc-run': 'mine' }])
    expect(context(headers).parentSpan).toBe(`${TRACE}-b7ad6b7169203331-00`);
  expect(context({ traceparent: 'nonsense', 'x-svc-run': 'mine' })).not.toHaveProperty('parentSpan');
});
