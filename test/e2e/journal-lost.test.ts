import { existsSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openOffline } from '../../src/ledger/offline.ts';
import { readConfig } from '../../src/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import type { GatewayService } from '../../src/gateway/gateway.ts';
import { openService } from '../../src/gateway/service.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { startService } from '../service.ts';
import { BODIES, PATHS } from './bad/bad-request.ts';

// A journal that is gone may have held calls that no limit counts any more: nobody goes on without saying so.

let double: ProviderDouble;
let folder: string;
let dataDir: string;
let journal: string;
beforeAll(async () => {
  double = await startProviderDouble();
});
afterAll(() => double.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollbook-lost-'));
  dataDir = join(folder, 'data');
  journal = join(dataDir, 'journal');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const configOf = (data: string) =>
  readConfig({ SVC_DATA_DIR: data, SVC_PORT: '0', SVC_LOG_LEVEL: 'silent', SVC_ANTHROPIC_URL: double.urls.anthropic });
const open = (data = dataDir): Promise<GatewayService> =>
  openService({ config: configOf(data), log: silentLog, clock: systemClock });

function call(url: string, key: string): Promise<Response> {
  return fetch(url + PATHS.anthropic, { method: 'POST', headers: { 'x-api-key': key }, body: BODIES.anthropic });
}

async function readiness(url: string): Promise<[number, string]> {
  const answer = await fetch(`${url}/readyz`);
  return [answer.status, await answer.text()];
}

/** Asks the API as the folder's owner while no service runs. */
async function askOffline(method: string, path: string): Promise<[number, string]> {
  const ledger = await openOffline({ config: configOf(dataDir), clock: systemClock, log: silentLog });
  try {
    const init = method === 'POST' ? { method, body: '{}', headers: { 'content-type': 'application/json' } } : {};
    const answer = await ledger.fetch(new Request(`http://tollbook${path}`, init));
    return [answer.status, await answer.text()];
  } finally {
    await ledger.close();
  }
}

test('a journal deleted after a crash with running calls raises an alert until it is back', async () => {
  const dying = await startService({ urls: double.urls, dataDir });
  const key = await dying.createKey('anthropic');
  for (let each = 0; each < 2; each += 1) {
    double.plan({ hold: 'writes' });
    void call(dying.baseUrl, key).catch(() => null);
    await double.held();
  }
  await dying.kill();
  await rename(journal, join(folder, 'away'));
  const service = await open();
  const [status, sentence] = await readiness(service.url);
  expect(status).toBe(503);
  expect(sentence).toMatch(/journal .* is missing, .*put the right one there.*tollbook journal renew.*no limit counts/);
  const seen = double.requests.length;
  expect((await call(service.url, key)).status).toBe(503);
  expect(double.requests.length).toBe(seen);
  await service.close();
  // Nothing was begun where the lost one belongs.
  expect(existsSync(journal)).toBe(false);

  await rename(join(folder, 'away'), journal);
  const again = await open();
  expect((await readiness(again.url))[0]).toBe(200);
  expect((await call(again.url, key)).status).toBe(200);
  await again.close();
  const [, summary] = await askOffline('GET', '/api/mcp/usage/summary');
  expect(JSON.parse(summary)).toMatchObject({ totalCalls: 3, uncertainCalls: 2 });
});

test('an older copy of the journal raises an alert, and calls continue', async () => {
  const away = join(folder, 'away');
  const first = await startService({ urls: double.urls, dataDir });
  const key = await first.createKey('anthropic');
  expect((await call(first.baseUrl, key)).status).toBe(200);
  await first.close();
  await cp(journal, away, { recursive: true });
  const second = await startService({ urls: double.urls, dataDir });
  expect((await call(second.baseUrl, key)).status).toBe(200);
  await second.close();
  const olderAlerts = async (): Promise<unknown[]> => {
    const [, alerts] = await askOffline('GET', '/api/mcp/alerts');
    return alerts.match(/ends in segment .*? It is an older copy/g) ?? [];
  };
  expect(await olderAlerts()).toEqual([]);
  await rm(journal, { recursive: true });
  await rename(away, journal);
  const third = await startService({ urls: double.urls, dataDir });
  expect((await call(third.baseUrl, key)).status).toBe(200);
  await third.close();
  expect(await olderAlerts()).toHaveLength(1);
});

test('a missing journal without calls is also reported, by doctor too', async () => {
  await (await open()).close();
  await rm(journal, { recursive: true });
  const service = await open();
  expect(await readiness(service.url)).toEqual([503, expect.stringMatching(/is missing/)]);
  await service.close();
  const [, report] = await askOffline('GET', '/api/manage/doctor');
  expect(report).toMatch(/"journal","state":"failed","message":"The journal .* is missing/);
});

test('the operator can give up a lost journal; this is recorded, and the next start creates a new one', async () => {
  await (await open()).close();
  expect(await askOffline('POST', '/api/manage/journal/renew')).toEqual([
    409,
    expect.stringMatching(/nothing to renew/),
  ]);
  await rm(journal, { recursive: true });
  expect(await askOffline('POST', '/api/manage/journal/renew')).toEqual([200, '{"renewed":true}']);
  const service = await open();
  expect((await readiness(service.url))[0]).toBe(200);
  await service.close();
  expect((await askOffline('GET', '/api/manage/audit'))[1]).toContain('journal.renew');
});

test('the journal of another ledger is not accepted', async () => {
  await (await open()).close();
  const other = join(folder, 'other');
  await (await open(other)).close();
  await rm(journal, { recursive: true });
  await rename(join(other, 'journal'), journal);
  const service = await open();
  expect(await readiness(service.url)).toEqual([
    503,
    expect.stringMatching(/is not the one that the ledger took its calls from/),
  ]);
  await service.close();
});
