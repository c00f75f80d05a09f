import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAIN } from '../service.ts';
import { freePort } from '../support/free-port.ts';

/** Starts `serve --demo` with its whole history. Visitors are signed in as the owner. */
export async function startDemo(): Promise<{ home: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tollbook-test-'));
  const env = { ...process.env, TMPDIR: folder, TEMP: folder, SVC_PORT: String(await freePort()) };
  const demo = spawn(process.execPath, [MAIN, 'serve', '--demo'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  for await (const piece of demo.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    printed += String(piece);
    if (printed.includes('Read usage')) break;
  }
  demo.stdout.resume();
  const home = /http:\/\/\S+/.exec(printed)?.[0] ?? '';
  return {
    home,
    async close() {
      demo.kill('SIGTERM');
      if (demo.exitCode === null) await once(demo, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
