import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { runLine } from '../../test/run-line.ts';

/** The library prints to the console. */
const log = vi.spyOn(console, 'log').mockImplementation(() => {});
afterEach(() => log.mockClear());
afterAll(() => log.mockRestore());

async function printed(line: string): Promise<string[]> {
  const { code, err } = await runLine(line, { env: {} });
  expect([code, err]).toEqual([0, '']);
  return log.mock.calls.map(([text]) => String(text));
}

test.each([
  ['complete -- dash', ':4'],
  ['complete -- stat', 'status\t'],
  ['complete -- keys cr', 'create\t'],
  ['complete -- calls --fol', '--follow\t'],
])('%s finds %s', async (line, found) => {
  expect((await printed(line))[0]).toContain(found);
});

test('the script for bash is one that bash can read', async () => {
  const [script = ''] = await printed('completion bash');
  expect(spawnSync('bash', ['-n'], { input: script })).toMatchObject({ status: 0 });
  expect(script).toContain('tollbook complete --');
});
