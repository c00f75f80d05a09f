import { spawnSync } from 'node:child_process';

/** Once before all browser tests: they need what was built of the dashboard, and must not build it side by side. */
export function setup(): void {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.mjs', '--if-needed']);
  if (status !== 0) throw new Error(`The dashboard does not build:\n${stderr.toString()}`);
}
