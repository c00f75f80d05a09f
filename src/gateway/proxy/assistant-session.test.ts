import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashAssistantSession } from './assistant-session.ts';

const ID = '01a1ff52-6e0e-7b31-a906-5483f831c019';
const CODEX = hash('sha256', `codex:${ID}`);

test.each([
  ['Claude Code', { 'x-claude-code-session-id': ID }, hash('sha256', `claude_code:${ID}`)],
  ['Codex', { 'session-id': ID, originator: 'codex_exec' }, CODEX],
  ['Codex, under another name', { 'session-id': ID, originator: 'My Desktop' }, CODEX],
  ['an older Codex', { session_id: ID, originator: 'codex_cli_rs' }, CODEX],
  ['something else', { 'session-id': ID }, null],
  ['nobody', {}, null],
  ['a session that is none', { 'x-claude-code-session-id': 'x'.repeat(129) }, null],
])('the session of %s', (_, headers, expected) => {
  expect(hashAssistantSession(headers)).toBe(expected);
});
