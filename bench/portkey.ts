import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const MANIFEST = {
  private: true,
  dependencies: { '@portkey-ai/gateway': '1.15.2' },
  // With its newest server adapter (1.19.19) the gateway answers every stream with 500 on Node 20 and 24. With 1.14.0 its
  // streams work, and a JSON call costs it the same.
  overrides: { '@hono/node-server': '1.14.0' },
};

/** Installs the rival into a folder of its own, without running its install scripts. Returns its server script. */
export async function installPortkey(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify(MANIFEST));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  await promisify(execFile)(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, { cwd: folder });
  return join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
}
