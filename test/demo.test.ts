import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCurl } from './read-curl.ts';
import { eventually, MAIN } from './service.ts';
import { freePort } from './support/free-port.ts';

test('the demo says that it is one, its printed lines work, its ledger has traffic, and its folder is deleted at the end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollbook-test-'));
  const env = { ...process.env, TMPDIR: folder, TEMP: folder, SVC_PORT: String(await freePort()) };
  const demo = spawn(process.execPath, [MAIN, 'serve', '--demo'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let printed = '';
    for await (const piece of demo.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      printed += String(piece);
      if (printed.includes('npx tollbook spend')) break;
    }
    demo.stdout.resume();
    expect(printed).toContain('DEMO');
    const [call, summary] = (printed.match(/curl [^]*?svc_sk_\w+"/g) ?? []).map(readCurl);

    const answered = await fetch(call!.url, call!.init);
    expect([answered.status, await answered.text()]).toEqual([200, expect.stringContaining('demo speaking')]);

    const ask = async () => {
      const answer = await fetch(summary!.url, summary!.init);
      return (await answer.json()) as { totalCalls: number; totalCost: number; byProvider: Record<string, unknown> };
    };
    const ledger = await eventually(ask, ({ totalCalls }) => totalCalls > 1_000);
    expect(ledger.totalCost).toBeGreaterThan(10);
    expect(Object.keys(ledger.byProvider).toSorted()).toEqual(['anthropic', 'google', 'openai']);
    expect(await readdir(folder)).toHaveLength(1);

    const [, place, command = ''] = /SVC_DATA_DIR=(\S+) npx tollbook (.+)/.exec(printed) ?? [];
    const { PATH, HOME } = process.env;
    const read = await promisify(execFile)(process.execPath, [MAIN, ...command.split(' '), '--json'], {
      env: { PATH, HOME, SVC_DATA_DIR: place },
    });
    expect((JSON.parse(read.stdout) as { total: { calls: number } }).total.calls).toBeGreaterThan(1_000);

    // Whoever opens it in a browser is signed in, and sees all of it.
    const account = await fetch(new URL('/api/account', summary!.url));
    expect(await account.json()).toMatchObject({ demo: true, state: 'signed_in', workspaces: [{ role: 'owner' }] });
    const cookie = account.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    expect((await fetch(summary!.url, { headers: { cookie } })).status).toBe(200);
  } finally {
    demo.kill('SIGTERM');
    if (demo.exitCode === null) await once(demo, 'exit');
  }
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});
