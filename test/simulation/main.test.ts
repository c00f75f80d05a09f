import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

function simulate(...args: string[]): { readonly status: number | null; readonly out: string; readonly error: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/simulation/main.ts', ...args]);
  return { status, out: stdout.toString(), error: stderr.toString() };
}

test('the requested number of schedules is played from the requested seed', () => {
  const { status, out } = simulate('--schedules', '60', '--seed', '5', '--length', '10');
  expect({ status, out }).toMatchObject({ status: 0 });
  expect(out).toMatch(/^Schedules from seed 5 on\.\n60 schedules, 600 steps .*: everything always held\.\n$/);
});

test('it ends after the requested time', () => {
  expect(simulate('--hours', '0.00001').out).toMatch(/everything always held/);
});

test.each([
  [['--hours', 'two'], '--hours is a number above 0, at most 1000; "two" is not.'],
  [['--schedules', '-1'], "Option '--schedules' argument is ambiguous"],
  [['--schedules', '0'], '--schedules is a whole number from 1 to'],
  [['--length', '1.5'], '--length is a whole number from 1 to 10000; "1.5" is not.'],
  [['--minutes', '5'], "Unknown option '--minutes'"],
])('%j is refused with a sentence and the usage', (args, sentence) => {
  const { status, error } = simulate(...args);
  expect(status).toBe(2);
  expect(error).toContain(sentence);
  expect(error).toContain('npm run simulate -- [--hours H]');
});
