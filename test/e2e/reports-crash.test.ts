import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AdminKeyShape } from '../../src/contract/admin-keys.ts';
import { ADMIN_KEY, type Fact, Organization, serveOrganization } from '../doubles/admin-api.ts';
import { eventually, type Service, startService } from '../service.ts';
import { DAY_MS } from '../../src/domain/time/units.ts';

// The service is killed while it reads the reports of an organization. What it has, it asks for no more.

/** Answers before each kill. */
const KILLS = [3, 9, 21, 40, 77];
const ANSWER_MS = 5;
/** On a busy machine with a database server. */
const READS_MS_MAX = 60_000;

function factsOf(days: number): Fact[] {
  const today = Date.now() - (Date.now() % DAY_MS);
  return Array.from({ length: days }, (_, number) => ({
    day: today - number * DAY_MS,
    key: 'apikey_1',
    project: null,
    model: 'm',
    tier: 'standard',
    input: number + 1,
    cacheRead: 2,
    write: 3,
    output: 5,
    searches: 0,
    requests: 0,
    amount: '1.5',
  }));
}

test('a backfill that is killed repeatedly ends like one that was not, and reads no page twice', async () => {
  const facts = factsOf(300);
  const organization = new Organization({ provider: 'anthropic', facts, pageDays: 4, pageRows: 2 });
  const server = await serveOrganization(organization, ANSWER_MS);
  const dataDir = await mkdtemp(join(tmpdir(), 'tollbook-reports-'));
  onTestFinished(async () => {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const start = (): Promise<Service> => startService({ urls: { anthropic: server.url }, dataDir });
  let service = await start();
  const add = ['admin-keys', 'add', '--provider', 'anthropic', '--name', 'main', '--key-stdin'];
  await service.command(add, ADMIN_KEY);
  let output = '';
  for (const answers of KILLS) {
    await eventually(
      async () => organization.answered.length,
      (count) => count >= answers,
    );
    await service.kill();
    output += service.output();
    service = await start();
  }
  const list = () => service.report<AdminKeyShape[]>('/api/manage/admin-keys');
  await eventually(list, ([key]) => key?.progress.daysDone === key?.progress.daysTotal, READS_MS_MAX);
  await service.close();
  output += service.output();

  const read = async (sql: string) => (await service.rows(sql))[0];
  const numbers =
    'CAST(count(*) AS INTEGER) AS rows, CAST(sum(input) AS INTEGER) AS input, CAST(sum(output) AS INTEGER) AS output';
  expect(await read(`SELECT ${numbers} FROM report_usage`)).toEqual({
    rows: 300,
    input: (300 * 301) / 2,
    output: 1_500,
  });
  expect(
    await read('SELECT CAST(count(*) AS INTEGER) AS rows, CAST(sum(nano_usd) AS TEXT) AS nano FROM report_costs'),
  ).toEqual({
    rows: 300,
    nano: String(300 * 15_000_000),
  });
  expect(await read('SELECT CAST(count(*) AS INTEGER) AS rows FROM report_people')).toEqual({ rows: 3 * 90 });

  // Only an answer that was on its way, or not yet kept, when the service died may have been asked for again.
  const pages = organization.answered.filter((path) => !path.includes('/me?'));
  expect(pages.length - new Set(pages).size).toBeLessThanOrEqual(KILLS.length);
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
  for (const text of [output, ...texts]) expect(text.includes('of-the-double')).toBe(false);
});
