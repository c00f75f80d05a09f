import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { expect, onTestFinished, test } from 'vitest';

function lint(scripts: Readonly<Record<string, string>>): { status: number | null; lines: readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'lint-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts }));
  const { status, stdout } = spawnSync(execPath, ['scripts/lint.mjs', folder]);
  return { status, lines: stdout.toString().trim().split('\n') };
}

test('every check runs and shows all findings, even if an earlier one failed', () => {
  const { status, lines } = lint({
    'lint:one': 'echo first finding && exit 3',
    'lint:two': 'echo fine',
    'lint:three': 'no-such-program-anywhere',
    build: 'echo never',
  });
  expect(status).toBe(1);
  expect(lines).toEqual(expect.arrayContaining(['--- lint:one: failed', 'first finding', '--- lint:two: ok', 'fine']));
  expect(lines.join('\n')).toMatch(/--- lint:three: failed\n.*no-such-program-anywhere/);
  expect(lines.at(-1)).toBe('lint: failed: lint:one, lint:three');
  expect(lines).not.toContain('never');
});

test('lint passes if every check passes and there is at least one', () => {
  expect(lint({ 'lint:one': 'echo fine' })).toMatchObject({ status: 0 });
  expect(lint({}).status).toBe(1);
});
