import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { controlSocketPath, webSocketPath } from './socket-path.ts';

const ON_UNIX = process.platform !== 'win32';

test('the two sockets of a folder have different names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-test-'));
  expect(controlSocketPath(folder)).not.toBe(webSocketPath(folder));
  rmSync(folder, { recursive: true });
});

test.runIf(ON_UNIX)('any long path of a folder leads to one short, private socket', () => {
  const root = mkdtempSync(join(tmpdir(), 'tollbook-test-'));
  const folder = join(root, 'long'.repeat(30));
  mkdirSync(folder);
  symlinkSync(folder, join(root, 'alias'));
  const path = controlSocketPath(folder);
  expect(path.length).toBeLessThan(100);
  expect(controlSocketPath(join(root, 'alias'))).toBe(path);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  rmSync(dirname(path), { recursive: true });
  rmSync(root, { recursive: true });
});
