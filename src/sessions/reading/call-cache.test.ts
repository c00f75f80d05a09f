import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { anyCalls } from '../../../test/sessions/local-calls.ts';
import type { LocalCall } from '../../domain/sessions/local-call.ts';
import { callsPath } from './file-cache.ts';
import { readCachedCalls, writeCachedCalls } from './call-cache.ts';

const OF = { source: 'codex', version: 1 } as const;
let path: string;

beforeEach(() => {
  path = callsPath(mkdtempSync(join(tmpdir(), 'kept-calls-')), 'codex');
});
afterEach(() => rmSync(join(path, '..'), { recursive: true }));

function keep(calls: readonly LocalCall[]) {
  writeCachedCalls(path, OF, 7, { calls, sessionIds: ['ü'], warnings: ['why'] });
  return readCachedCalls(path, OF, 7);
}

test('calls of any kind are read back unchanged and in order', () => {
  fc.assert(
    fc.property(anyCalls, fc.boolean(), fc.boolean(), fc.nat(), (calls, assumed, copied, total) => {
      const own = calls.map((call): LocalCall => ({
        ...call,
        source: 'codex',
        ...(assumed && { modelAssumed: true }),
        ...(copied && { copied: true }),
        ...(total > 0 && { total }),
      }));
      expect(keep(own)).toEqual({ calls: own, sessionIds: ['ü'], warnings: ['why'] });
    }),
    { numRuns: 50 },
  );
});

test('calls of another cache, another version, or a broken file are ignored', () => {
  keep([]);
  expect(readCachedCalls(path, OF, 7)).not.toBeNull();
  expect(readCachedCalls(path, OF, 8)).toBeNull();
  expect(readCachedCalls(path, { ...OF, version: 2 }, 7)).toBeNull();
  writeFileSync(path, readFileSync(path, 'latin1').replace('why', 'who'));
  expect(readCachedCalls(path, OF, 7)).toBeNull();
});
