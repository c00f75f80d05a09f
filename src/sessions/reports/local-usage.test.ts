import { expect, test } from 'vitest';
import type { LocalCall } from '../../domain/sessions/local-call.ts';
import { NO_TERMS, NO_USES } from '../../domain/usage/usage.ts';
import { recentSessions } from './local-usage.ts';

const NOON = Date.UTC(2026, 10, 24, 12);

function callAt(sessionId: string, at: number): LocalCall {
  const usage = { inferences: [], uses: NO_USES, thinking: 0, terms: NO_TERMS };
  return { source: 'opencode', sessionId, project: null, model: 'a/b', at, usage };
}

function fileOf(sessionId: string, modifiedAt: number) {
  return { source: 'opencode' as const, path: `/${sessionId}`, sessionId, size: 1, modifiedAt, inode: sessionId };
}

test('a session in a file with others was modified with its last call, and one in its own file with the file', () => {
  const files = [fileOf('', NOON), fileOf('own', NOON)];
  const calls = [callAt('own', NOON - 9), callAt('old', NOON - 9), callAt('new', NOON - 9), callAt('new', NOON - 1)];
  const recent = recentSessions({ files, calls }, NOON - 5);
  expect([recent.get('own'), recent.get('new'), recent.has('old')]).toEqual([NOON, NOON - 1, false]);
});
