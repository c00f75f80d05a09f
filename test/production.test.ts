import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The compiled program, laid out as the package installs it. */
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-production-'));
  const outDir = join(folder, 'dist');
  const compiler = resolve('node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', outDir]);
  if (status !== 0) throw new Error(`The sources do not compile:\n${stdout.toString()}`);
  for (const path of ['bin', 'package.json']) cpSync(path, join(folder, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function environment(dataDir: string): NodeJS.ProcessEnv {
  return { ...process.env, SVC_DATA_DIR: join(folder, dataDir), SVC_PORT: '0', SVC_LOG_LEVEL: 'warn' };
}

test('the compiled command line opens a data folder and prints its answer', () => {
  const args = [join(folder, 'bin', 'tollbook.mjs'), 'tokens', 'create', '--name', 'reader', '--json'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env: environment('commands') });
  expect({ status, errors: stderr.toString() }).toEqual({ status: 0, errors: '' });
  expect(JSON.parse(stdout.toString())).toMatchObject({
    name: 'reader',
    token: expect.stringMatching(/^svc_sk_/) as string,
  });
});

test('the compiled service starts both threads and stops without an error', async () => {
  const service = spawn(process.execPath, [join(folder, 'bin', 'tollbook.mjs'), 'serve'], {
    env: environment('service'),
  });
  let text = '';
  const hear = (chunk: Buffer): void => {
    const before = text;
    text += chunk.toString();
    if (!before.includes('serves on') && text.includes('serves on')) service.kill('SIGTERM');
  };
  service.stdout.on('data', hear);
  service.stderr.on('data', hear);
  await once(service, 'close');
  expect({ code: service.exitCode, signal: service.signalCode, text }).toMatchObject({ code: 0, signal: null });
  expect(text).not.toMatch(/"level":"(error|fatal)"|Error:/);
});
