import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from './doubles/provider-double.ts';
import { eventually, type Service, startService } from './service.ts';

// Trouble is told in the log, by the probes, as a metric, and in one alert per episode.

let double: ProviderDouble;
let dataDir: string;
beforeAll(async () => {
  double = await startProviderDouble();
});
afterAll(() => double.close());
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollbook-trouble-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const start = () => startService({ urls: double.urls, dataDir });

async function readiness({ baseUrl }: Service): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${baseUrl}/readyz`);
  return { status: answer.status, text: await answer.text() };
}

async function gauges({ baseUrl }: Service): Promise<string[]> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  return text.split('\n').filter((line) => /^tollbook_(ledger_)?healthy /.test(line));
}

/** Runs `work` on a file of the service, as another process would. */
function onFile<T>(name: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(dataDir, name), { timeout: 5_000 });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const healthAlerts = async () =>
  onFile('ledger.db', (db) =>
    db
      .prepare(
        "SELECT message FROM alerts WHERE type IN ('JOURNAL_PROBLEM', 'LEDGER_PROBLEM') AND severity = 'critical'",
      )
      .all()
      .map(({ message }) => String(message)),
  );

test('a ledger that takes no entries makes the service unready until it does; calls continue and none is lost', async () => {
  const service = await start();
  const key = await service.createKey('anthropic');
  const call = () =>
    fetch(`${service.baseUrl}/api/proxy/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: JSON.stringify({
        model: 'claude-haiku-4-5',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    });
  onFile('ledger.db', (db) => db.exec('ALTER TABLE marks RENAME TO marks_away'));
  expect((await call()).status).toBe(200);
  const unready = await eventually(
    () => readiness(service),
    ({ status }) => status === 503,
  );
  expect(unready.text).toMatch(/ledger can't store entries \(no such table: marks\)/);
  expect(await gauges(service)).toEqual(['tollbook_healthy 1', 'tollbook_ledger_healthy 0']);
  expect((await call()).status).toBe(200);
  await eventually(healthAlerts, (alerts) => alerts.length === 1);
  onFile('ledger.db', (db) => db.exec('ALTER TABLE marks_away RENAME TO marks'));
  await eventually(
    () => readiness(service),
    ({ status }) => status === 200,
  );
  expect(await gauges(service)).toEqual(['tollbook_healthy 1', 'tollbook_ledger_healthy 1']);
  expect(await service.report('/api/mcp/usage/summary')).toMatchObject({ totalCalls: 2 });
  expect(await healthAlerts()).toEqual([expect.stringMatching(/no such table/)]);
  await service.close();
  expect(service.output()).toMatch(/ledger can't store entries \(no such table: marks\)/);
});

test("a journal that can't be opened is reported everywhere, even if the ledger opens after it", async () => {
  await mkdir(join(dataDir, 'journal'));
  await writeFile(join(dataDir, 'journal', '000001.log'), 'This is no journal, but long enough to be looked at. ');
  const service = await start();
  expect(await readiness(service)).toMatchObject({
    status: 503,
    text: expect.stringMatching(/is damaged in .*: stop/),
  });
  expect(await gauges(service)).toEqual(['tollbook_healthy 0', 'tollbook_ledger_healthy 1']);
  const alerts = await eventually(healthAlerts, ({ length }) => length > 0);
  expect(alerts).toEqual([expect.stringMatching(/is damaged in .*: stop/)]);
  await service.close();
  expect(service.output()).toMatch(/is damaged in .*: stop/);
});

test("a journal that can't be written at the start is reported, and the service becomes ready when it can", async () => {
  await (await start()).close();
  // A segment is begun under this name.
  await mkdir(join(dataDir, 'journal', 'unfinished'));
  const service = await start();
  expect(await readiness(service)).toMatchObject({ status: 503, text: expect.stringMatching(/can't be used: EISDIR/) });
  await eventually(healthAlerts, ({ length }) => length === 1);
  await rm(join(dataDir, 'journal', 'unfinished'), { recursive: true });
  await eventually(
    () => readiness(service),
    ({ status }) => status === 200,
  );
  await service.close();
});
