import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { eventually, type Service, startService } from '../service.ts';
import { BODIES, PATHS } from './bad/bad-request.ts';

// What can't be booked is not sent: without its journal the gate refuses calls and goes on with all else.

const CALLERS = ['anthropic', 'google', 'openai'] as const;
type Caller = (typeof CALLERS)[number];

/** Where each provider's own errors carry their sentence. */
const SHAPES: Readonly<Record<Caller, (sentence: unknown) => object>> = {
  anthropic: (message) => ({ type: 'error', error: { type: 'api_error', message }, request_id: expect.any(String) }),
  google: (message) => ({ error: { code: 503, message, status: 'UNAVAILABLE', details: expect.any(Array) } }),
  openai: (message) => ({ error: { message, type: 'server_error', param: null, code: 'unavailable' } }),
};

let double: ProviderDouble;
beforeAll(async () => {
  double = await startProviderDouble();
});
afterAll(() => double?.close());

function call(service: Service, caller: Caller, key: string, more: object = {}): Promise<Response> {
  return fetch(`${service.baseUrl}${PATHS[caller]}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ ...(JSON.parse(BODIES[caller]) as object), ...more }),
  });
}

async function keysOf(service: Service): Promise<Record<Caller, string>> {
  const [anthropic, google, openai] = await Promise.all(CALLERS.map((caller) => service.createKey(caller)));
  return { anthropic: anthropic ?? '', google: google ?? '', openai: openai ?? '' };
}

async function expectRefusals(service: Service, keys: Record<Caller, string>, reason: RegExp): Promise<void> {
  const seen = double.requests.length;
  for (const caller of CALLERS) {
    const answer = await call(service, caller, keys[caller]);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toEqual(SHAPES[caller](expect.stringMatching(/can't be recorded, so it was not sent/)));
  }
  const ready = await fetch(`${service.baseUrl}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringMatching(reason)]);
  expect((await fetch(`${service.baseUrl}/healthz`)).status).toBe(200);
  expect(await (await fetch(`${service.baseUrl}/metrics`)).text()).toMatch(/^tollbook_healthy 0$/m);
  expect(double.requests.length).toBe(seen);
}

/** The most bytes a file of the service's process may have, as a full disk would have it; the kernel refuses more. */
function limitFiles({ pid }: Service, bytes: number | 'unlimited'): void {
  execFileSync('/usr/bin/prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}

function journalBytes({ dataDir }: Service): number {
  const folder = join(dataDir, 'journal');
  return statSync(join(folder, readdirSync(folder).toSorted().at(-1) ?? '')).size;
}

test.runIf(process.platform === 'linux')(
  'a full disk stops new calls and keeps the ends of running ones, and all continues when there is room',
  async () => {
    const service = await startService({ urls: double.urls });
    const keys = await keysOf(service);
    double.plan({ hold: 'writes' });
    const underWay = call(service, 'anthropic', keys.anthropic, { stream: true });
    const held = await double.held();

    // Room for half a line.
    limitFiles(service, journalBytes(service) + 100);
    await expect(call(service, 'openai', keys.openai)).resolves.toMatchObject({ status: 503 });
    await expectRefusals(service, keys, /can't grow: free space/);
    held.release();
    expect(await (await underWay).text()).toContain('message_stop');
    limitFiles(service, 'unlimited');

    const ready = async () => (await fetch(`${service.baseUrl}/readyz`)).status;
    await eventually(ready, (status) => status === 200);
    expect((await call(service, 'openai', keys.openai)).status).toBe(200);
    const entries = await eventually(
      async () => (await service.report<{ entries: { outcome: string; cost: number }[] }>('/api/mcp/entries')).entries,
      (recorded) => recorded.length >= 2,
    );
    expect(entries.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    expect(entries.every(({ cost }) => cost > 0)).toBe(true);
    await service.close();
  },
);

test("with a journal that can’t be opened, usage queries work and calls don't", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollbook-disk-'));
  await mkdir(join(dataDir, 'journal'));
  await writeFile(join(dataDir, 'journal', '000001.log'), 'This is no journal, but long enough to be looked at. ');
  const service = await startService({ urls: double.urls, dataDir });
  const keys = await keysOf(service);
  await expectRefusals(service, keys, /journal/);
  expect(await service.report('/api/mcp/usage/summary')).toMatchObject({ totalCalls: 0 });
  await service.close();
  await rm(dataDir, { recursive: true, force: true });
});
