import { spawnSync } from 'node:child_process';

/** Builds the dashboard once before all browser tests. */
export function setup(): void {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.mjs', '--if-needed']);
  if (status !== 0) throw new Error(`The dashboard does not build:\n${stderr.toString()}`);
}
