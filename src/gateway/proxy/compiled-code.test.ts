import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { INLINING } from './compiled-code.ts';

it('this Node has every compiler setting that the gateway uses', () => {
  const start = (...flags: string[]): string =>
    execFileSync(process.execPath, [...flags, '-p', '"started"'], { encoding: 'utf8', stdio: 'pipe' });
  for (const flag of INLINING) expect(start(flag)).toBe('started\n');
  expect(() => start('--max-inlined-nothing=1')).toThrow('bad option');
});
