import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LocalCall } from '../../domain/sessions/local-call.ts';
import { NO_TERMS } from '../../domain/usage/usage.ts';
import { writeUploadedCalls, fingerprintCall, readUploadedCalls } from './uploaded-calls.ts';

const SERVICE = { apiUrl: 'http://localhost:4700', apiKey: 'one' };
let home: string;

beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'uploaded-'))));
afterEach(() => rmSync(home, { recursive: true }));

const memory = () => ({ host: { home, platform: 'linux' as const, env: {} }, source: 'claude_code' as const });
const path = () => join(home, '.config', 'tollbook', 'claude_code.uploaded');
const known = (service = SERVICE) => Object.fromEntries(readUploadedCalls(memory(), service));

function callOf(tokens: Record<string, number>, at = 1): LocalCall {
  const usage = { inferences: [{ model: null, tokens, promptTokens: 4 }], uses: {}, thinking: 0, terms: NO_TERMS };
  return { source: 'claude_code', sessionId: 's', project: '/p', model: 'm', at, usage };
}

test('uploaded calls are known by service and by the session of the last upload', () => {
  writeUploadedCalls(memory(), SERVICE, new Map([['a', ['1', '2']]]));
  writeUploadedCalls(memory(), { ...SERVICE, apiKey: 'two' }, new Map([['c', ['1']]]));
  writeUploadedCalls(memory(), SERVICE, new Map([['b', ['3']]]));
  expect(known()).toEqual({ 1: 'a', 2: 'a', 3: 'b' });
  writeUploadedCalls(
    memory(),
    SERVICE,
    new Map([
      ['a', ['2']],
      ['b', ['3', '1']],
    ]),
  );
  expect(known()).toEqual({ 1: 'b', 2: 'a', 3: 'b' });
  expect(known({ ...SERVICE, apiKey: 'two' })).toEqual({ 1: 'c' });
  expect(known({ ...SERVICE, apiUrl: 'http://other' })).toEqual({});
});

test('a broken file counts as missing', () => {
  writeUploadedCalls(memory(), SERVICE, new Map([['a', ['1']]]));
  const bytes = readFileSync(path());
  for (const broken of [Buffer.alloc(0), bytes.subarray(0, -2), Buffer.from('x'.repeat(100))]) {
    writeFileSync(path(), broken);
    expect(known()).toEqual({});
  }
});

test('if there are too many calls, those of the sessions uploaded last are kept', () => {
  const marks = (prefix: string) => Array.from({ length: 100_000 }, (_, index) => `${prefix}${index}`);
  for (const name of ['a', 'b', 'c']) writeUploadedCalls(memory(), SERVICE, new Map([[name, marks(name)]]));
  const sessions = new Set(readUploadedCalls(memory(), SERVICE).values());
  expect([...sessions]).toEqual(['b', 'c']);
});

test('a failure to record uploads is reported, and earlier records stay', () => {
  mkdirSync(path(), { recursive: true });
  expect(() => writeUploadedCalls(memory(), SERVICE, new Map([['a', ['1']]]))).toThrow('Everything is uploaded, but');
  expect(existsSync(path())).toBe(true);
});

test('a call keeps its mark while its output grows and in any order of classes, and no other call has it', () => {
  const mark = fingerprintCall(callOf({ input: 3, output: 1, cacheRead: 1 }));
  expect(fingerprintCall(callOf({ cacheRead: 1, cacheWrite: 0, input: 3, output: 300 }))).toBe(mark);
  expect(fingerprintCall(callOf({ input: 3, output: 1, cacheRead: 2 }))).not.toBe(mark);
  expect(fingerprintCall(callOf({ input: 3, output: 1, cacheRead: 1 }, 2))).not.toBe(mark);
});

test('a call of Codex has the same mark at the time of a fork, and another mark at another total', () => {
  const call: LocalCall = { ...callOf({ input: 3, output: 1 }), source: 'codex', total: 4 };
  expect(fingerprintCall({ ...call, at: 2, model: 'other' })).toBe(fingerprintCall(call));
  expect(fingerprintCall({ ...call, total: 5 })).not.toBe(fingerprintCall(call));
  expect(fingerprintCall({ ...call, usage: callOf({ input: 3, output: 2 }).usage })).not.toBe(fingerprintCall(call));
});
