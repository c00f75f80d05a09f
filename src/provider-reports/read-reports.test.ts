import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ADMIN_KEY, type Fact, type Fault, OPENAI_ADMIN_KEY, Organization } from '../../test/doubles/admin-api.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import { createLog } from '../lib/log.ts';
import { emptyDatabase } from '../../test/support/empty-database.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';
import type { ReportPage } from '../storage/provider-reports.ts';
import { openSqliteStore } from '../storage/sqlite/sqlite-store.ts';
import { anthropicReports } from './anthropic.ts';
import { openaiReports } from './openai.ts';
import { backfillProgress } from './sync-plan.ts';
import type { ProviderReport, ReportSource } from './source.ts';
import { ReportReader } from './read-reports.ts';
import { DAY_MS } from '../domain/time/units.ts';

const TODAY = Date.parse('2026-11-20T00:00:00Z');
const NOON = TODAY + DAY_MS / 2;
const WHOLE = { start: 0, end: 2_000_000_000_000 };

/** A source that asks for some weeks, so that tests end. */
function short(source: ReportSource, days = 40, people = 5): ReportSource {
  const shortened = (report: ProviderReport): ProviderReport =>
    report.kind === 'days' ? { ...report, backfillDays: report.splitsDays ? people : days } : report;
  return { ...source, reports: source.reports.map(shortened) };
}

function factsOf(days: number, perDay = 2, newest = TODAY): Fact[] {
  return Array.from({ length: days * perDay }, (_, number) => ({
    day: newest - Math.floor(number / perDay) * DAY_MS,
    key: number % 5 === 4 ? null : `key_${number % 2}`,
    project: number % 3 === 0 ? null : 'p',
    model: `m${number % perDay}`,
    tier: 'standard',
    input: number * 7 + 1,
    cacheRead: number * 3,
    write: number,
    output: number + 5,
    searches: number % 4,
    requests: number + 1,
    amount: `${number}.125`,
  }));
}

/** A crash at a moment of its own. */
class Crash extends Error {}

interface WorldOptions {
  readonly organization: Organization;
  readonly source?: ReportSource;
  readonly crashes?: ('before' | 'after' | null)[];
}

/** A connection with its store; the time moves when the test says so, and a bit with each request. */
function world({ organization, source, crashes = [] }: WorldOptions) {
  const isAnthropic = organization.options.provider === 'anthropic';
  const database = emptyDatabase();
  const { providerReports } = openSqliteStore(database);
  const time = { now: NOON };
  const alerts: Alert[] = [];
  const logged: string[] = [];
  const kept: ReportPage[] = [];
  let key: AdminKey = {
    id: 'ak_1',
    workspaceId: 'ws_default',
    provider: organization.options.provider,
    name: 'main',
    fingerprint: '00000000',
    lastFour: '0000',
    organizationId: 'org',
    organizationName: 'Org',
    createdAt: 1,
    pausedAt: null,
    pausedReason: null,
    nextAt: 0,
    failures: 0,
    problem: null,
  };
  const place = {
    source: source ?? short(isAnthropic ? anthropicReports : openaiReports),
    url: 'http://double',
    name: 'Provider',
  };
  const parts = {
    adminKeys: {
      get: async () => key,
      secret: async () => (isAnthropic ? ADMIN_KEY : OPENAI_ADMIN_KEY),
      pause: async (_: string, _id: string, because: string | null) =>
        (key = { ...key, pausedAt: time.now, pausedReason: because }),
      recordAttempt: async (_: string, turn: Partial<AdminKey>) => void (key = { ...key, ...turn }),
    },
    reports: {
      ...providerReports,
      async keep(page: ReportPage) {
        const crash = crashes.shift() ?? null;
        if (crash === 'before') throw new Crash();
        const isKept = await providerReports.keep(page);
        if (isKept) kept.push(page);
        if (crash === 'after') throw new Crash();
        return isKept;
      },
    },
    ask: async ({ request, headers }: Parameters<ConstructorParameters<typeof ReportReader>[0]['ask']>[0]) => {
      time.now += 100;
      const query = new URLSearchParams(request.query.map(([name, value]): [string, string] => [name, value]));
      const reply = organization.ask(request.path, query, { ...headers, ...request.headers });
      return reply === 'hang up' ? ({ ok: false, reason: 'ECONNRESET' } as const) : ({ ok: true, ...reply } as const);
    },
    clock: () => time.now,
    log: createLog({ level: 'debug', destination: { write: (line) => void logged.push(line) } }),
    raise: async (alert: Alert) => void alerts.push(alert),
  };
  return {
    providerReports,
    time,
    alerts,
    logged,
    kept,
    place,
    key: () => key,
    async turn(all = false, signal = new AbortController().signal) {
      await new ReportReader(parts, key, place, signal, all).run();
    },
    pause: () => (key = { ...key, pausedAt: time.now }),
    /** Turns until all days are there, each when it may be. */
    async finish(turnsMax = 400) {
      for (let turns = 0; turns < turnsMax; turns += 1) {
        time.now = Math.max(time.now, key.nextAt);
        try {
          await this.turn();
        } catch (error) {
          if (!(error instanceof Crash)) throw error;
        }
        const { days, of } = backfillProgress(place.source, await providerReports.states('ak_1'));
        if (days === of && key.failures === 0) return;
      }
      throw new Error('it does not come to an end');
    },
    /** Everything that was kept, apart from when it was read. */
    async rows() {
      return {
        usage: await providerReports.usage('ak_1', WHOLE),
        costs: await providerReports.costs('ak_1', WHOLE),
        people: (await providerReports.people('ak_1', WHOLE)).map(({ day, rows }) => ({
          day,
          rows: rows.map((row) => JSON.stringify(row)).toSorted(),
        })),
        names: await providerReports.names('ak_1'),
      };
    },
    changedAt: () => database.prepare('SELECT report, day, changed_at FROM report_days ORDER BY 1, 2').all(),
  };
}

type Word = 'input' | 'cacheRead' | 'output';
function sumOf(days: Awaited<ReturnType<ReturnType<typeof world>['rows']>>['usage'], name: Word): number {
  return days.flatMap(({ rows }) => rows).reduce((sum, { amounts }) => sum + (amounts[name] ?? 0), 0);
}
const factSum = (facts: readonly Fact[], name: Word): number => facts.reduce((sum, fact) => sum + fact[name], 0);

test.each(['anthropic', 'openai'] as const)(
  'all that %s has is read, the newest days first, and a second time changes nothing',
  async (provider) => {
    const facts = factsOf(40);
    const organization = new Organization({ provider, facts, pageDays: 3, pageRows: 2 });
    const it = world({ organization });
    await it.finish();
    const rows = await it.rows();
    for (const name of ['input', 'cacheRead', 'output'] as const)
      expect(sumOf(rows.usage, name)).toBe(factSum(facts, name));
    expect(rows.costs.flatMap((day) => day.rows)).toHaveLength(80);
    expect(rows.people.flatMap((day) => day.rows)).toHaveLength(provider === 'anthropic' ? 15 : 0);
    expect(rows.names.map(({ id }) => id).toSorted()).toEqual(
      provider === 'anthropic'
        ? ['apikey_1', 'user_1', 'wrkspc_1', 'wrkspc_2']
        : ['key_1', 'key_2', 'key_3', 'proj_a', 'proj_b', 'proj_z', 'user_1'],
    );
    const tops = it.kept
      .filter(({ report }) => report === it.place.source.reports[0]?.id)
      .map(({ state }) => state.doneFrom);
    expect(tops).toEqual(tops.toSorted((a, b) => b - a));
    const changed = it.changedAt();
    it.time.now = NOON + 3_600_000;
    await it.turn(true);
    expect(it.key()).toMatchObject({ failures: 0, problem: null });
    expect(await it.rows()).toEqual(rows);
    expect(it.changedAt()).toEqual(changed);
  },
);

test('a backfill requests no page twice', async () => {
  const organization = new Organization({ provider: 'anthropic', facts: factsOf(40), pageDays: 2, pageRows: 1 });
  const it = world({ organization });
  await it.finish();
  expect(new Set(organization.answered).size).toBe(organization.answered.length);
  expect(organization.answered.length).toBeGreaterThan(40);
});

const crash = fc.constantFrom<'before' | 'after' | null>('before', 'after', null, null, null);
const fault = fc.constantFrom<Fault | null>(
  null,
  null,
  null,
  'hang up',
  'cut off',
  'html',
  'without a day',
  'no next page',
  { status: 429, headers: { 'retry-after': '7' } },
  { status: 429 },
  { status: 500 },
  { status: 400 },
  { status: 503 },
);

test.each(['anthropic', 'openai'] as const)(
  'faults, pages and crashes in any order end in the rows of one clean pass over %s',
  async (provider) => {
    const facts = factsOf(12);
    const options = { provider, facts, pageDays: 2, pageRows: 2 } as const;
    const source = short(provider === 'anthropic' ? anthropicReports : openaiReports, 12, 3);
    const clean = world({ organization: new Organization({ ...options, pageDays: 31 }), source });
    await clean.finish();
    const expected = await clean.rows();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { maxLength: 40 }),
        fc.array(crash, { maxLength: 30 }),
        async (faults, crashes) => {
          const organization = new Organization(options);
          organization.faults.push(...faults);
          const it = world({ organization, source, crashes: [...crashes] });
          await it.finish();
          await it.finish();
          expect(await it.rows()).toEqual(expected);
        },
      ),
      { numRuns: 40 },
    );
  },
  60_000,
);

test('after a crash at any page, no stored page is requested again', async () => {
  const options = { provider: 'anthropic', facts: factsOf(12), pageDays: 2, pageRows: 2 } as const;
  const source = short(anthropicReports, 12, 3);
  const clean = world({ organization: new Organization(options), source });
  await clean.finish();
  const pages = clean.kept.length;
  expect(pages).toBeGreaterThan(15);
  for (let at = 0; at < pages; at += 1)
    for (const moment of ['before', 'after'] as const) {
      const organization = new Organization(options);
      const it = world({ organization, source, crashes: [...Array.from({ length: at }, () => null), moment] });
      await it.finish();
      expect(await it.rows()).toEqual(await clean.rows());
      const again = organization.answered.length - new Set(organization.answered).size;
      expect([at, moment, again]).toEqual([at, moment, moment === 'before' ? 1 : 0]);
    }
});

test('days that may still change are read every five minutes and replaced, older ones are not read', async () => {
  const organization = new Organization({ provider: 'anthropic', facts: factsOf(40) });
  const it = world({ organization });
  await it.finish();
  const before = organization.answered.length;
  await it.turn();
  expect(organization.answered.length).toBe(before);
  it.time.now = it.key().nextAt;
  organization.facts = organization.facts.map((fact) => ({ ...fact, output: fact.output + 1_000 }));
  await it.turn();
  const usage = (await it.rows()).usage;
  const more = usage.filter(({ rows }) => rows.every(({ amounts }) => (amounts.output ?? 0) >= 1_000));
  expect(more.map(({ day }) => day)).toEqual([TODAY - 2 * DAY_MS, TODAY - DAY_MS, TODAY]);
  // A day without use any more.
  organization.facts = organization.facts.filter(({ day }) => day !== TODAY);
  await it.turn(true);
  expect((await it.rows()).usage.at(-1)?.day).toBe(TODAY - DAY_MS);
});

test('late reports and days missed while the service was down are read later', async () => {
  const organization = new Organization({ provider: 'anthropic', facts: [] });
  const it = world({ organization });
  await it.finish();
  organization.facts = factsOf(3);
  it.time.now += 5 * 60_000;
  await it.turn();
  expect((await it.rows()).usage).toHaveLength(3);
  const away = 20;
  const later = factsOf(3, 2, TODAY + away * DAY_MS);
  organization.facts = [...organization.facts, ...later, ...factsOf(1, 2, TODAY + 9 * DAY_MS)];
  it.time.now += away * DAY_MS;
  await it.turn();
  expect((await it.rows()).usage.map(({ day }) => (day - TODAY) / DAY_MS)).toEqual([-2, -1, 0, 9, 18, 19, 20]);
});

test('people are read every hour, and all pages of a day are replaced together', async () => {
  const organization = new Organization({ provider: 'anthropic', facts: factsOf(40), pageRows: 2 });
  const it = world({ organization });
  await it.finish();
  organization.people = ['linus@example.com', ...organization.people, 'barbara@example.com'];
  it.time.now += 10 * 60_000;
  await it.turn();
  expect((await it.rows()).people.at(-1)?.rows).toHaveLength(3);
  it.time.now += 3_600_000;
  await it.turn();
  expect((await it.rows()).people.map(({ rows }) => rows.length)).toEqual([3, 3, 5, 5, 5]);
});

test("a provider's Retry-After is respected", async () => {
  const organization = new Organization({ provider: 'anthropic', facts: factsOf(12) });
  const it = world({ organization });
  organization.faults.push(null, null, { status: 429, headers: { 'retry-after': '90' } });
  await it.turn();
  expect(it.key().nextAt).toBe(it.time.now + 90_000);
  expect(it.key()).toMatchObject({ failures: 1, problem: 'Provider limits the rate of requests.' });
  organization.faults.push({ status: 429, headers: { 'retry-after': new Date(it.time.now + 60_000).toUTCString() } });
  await it.turn();
  expect(it.key().nextAt - it.time.now).toBeGreaterThan(58_000);
  organization.faults.push({ status: 429, headers: { 'retry-after': '99999999' } });
  await it.turn();
  expect(it.key().nextAt).toBe(it.time.now + 3_600_000);
});

test('an unreachable provider is asked less and less often, and normally again when it is back', async () => {
  const organization = new Organization({ provider: 'anthropic', facts: factsOf(12) });
  const it = world({ organization });
  const waits: number[] = [];
  for (let turn = 0; turn < 10; turn += 1) {
    organization.faults.push('hang up');
    await it.turn();
    waits.push((it.key().nextAt - it.time.now) / 1_000);
  }
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 900, 900]);
  expect(it.key().problem).toBe('Provider could not be reached: ECONNRESET.');
  await it.finish();
  expect(it.key()).toMatchObject({ failures: 0, problem: null });
});

test('an unreadable report does not block the others', async () => {
  const organization = new Organization({ provider: 'anthropic', facts: factsOf(12) });
  const it = world({ organization });
  const ask = organization.ask.bind(organization);
  organization.ask = (path, query, headers) =>
    path.endsWith('/messages') ? { status: 500, headers: {}, text: '' } : ask(path, query, headers);
  await it.turn();
  expect((await it.rows()).costs).toHaveLength(12);
  expect(it.key()).toMatchObject({ problem: expect.stringContaining('the response had status 500') });
  organization.ask = ask;
  await it.finish();
  expect((await it.rows()).usage).toHaveLength(12);
});

test('a refused key pauses its connection with an alert that does not contain the key', async () => {
  const organization = new Organization({ provider: 'anthropic', facts: factsOf(12) });
  const it = world({ organization });
  await it.finish();
  organization.isKeyGood = false;
  await it.turn(true);
  expect(it.key()).toMatchObject({ pausedAt: it.time.now, pausedReason: expect.stringContaining('401') });
  expect(it.alerts).toMatchObject([{ type: 'KEY_PROBLEM', severity: 'critical', scope: { adminKey: 'ak_1' } }]);
  expect(JSON.stringify([it.alerts, it.key(), it.logged])).not.toContain('of-the-double');
});

test('an unknown class of usage raises an alert', async () => {
  const organization = new Organization({ provider: 'anthropic', facts: factsOf(2) });
  const ask = organization.ask.bind(organization);
  organization.ask = (...asked) => {
    const reply = ask(...asked);
    return reply === 'hang up'
      ? reply
      : { ...reply, text: reply.text.replaceAll('"api_key_id"', '"dream_tokens":3,"api_key_id"') };
  };
  const it = world({ organization });
  await it.finish();
  expect(it.alerts[0]).toMatchObject({ type: 'COVERAGE', message: expect.stringContaining('"dream_tokens"') });
  expect(new Set(it.alerts.map(({ episode }) => episode)).size).toBe(1);
});

test('a clock that is wrong by hours and then corrected skips no day', async () => {
  const organization = new Organization({ provider: 'anthropic', facts: factsOf(40) });
  const it = world({ organization });
  it.time.now = TODAY + DAY_MS + 3_600_000;
  // The provider has not begun that day.
  const ask = organization.ask.bind(organization);
  organization.ask = (path, query, headers) => {
    const end = Date.parse(query.get('ending_at') ?? '');
    if (end > TODAY + DAY_MS) query.set('ending_at', new Date(TODAY + DAY_MS).toISOString());
    return ask(path, query, headers);
  };
  await it.finish();
  it.time.now = NOON;
  organization.facts = factsOf(40, 3);
  await it.turn();
  const usage = (await it.rows()).usage;
  // The window is of forty days, of which the first has not begun.
  expect(usage).toHaveLength(39);
  expect(usage.at(-1)?.rows).toHaveLength(3);
});

test('a connection paused during a sync sends no further requests', async () => {
  const organization = new Organization({ provider: 'anthropic', facts: factsOf(40), pageDays: 1 });
  const it = world({ organization });
  const ask = organization.ask.bind(organization);
  let asked = 0;
  organization.ask = (...request) => {
    if ((asked += 1) === 9) it.pause();
    return ask(...request);
  };
  await it.turn();
  expect(asked).toBe(9);
  await it.turn();
  expect(asked).toBe(9);
});

test('a clock that was years ahead when the key was added does not keep the backfill from ending', async () => {
  const organization = new Organization({ provider: 'anthropic', facts: factsOf(40) });
  const it = world({ organization });
  it.time.now = NOON + 4_000 * DAY_MS;
  await it.turn();
  it.time.now = NOON;
  await it.turn(true);
  expect((await it.rows()).usage.map(({ day }) => day)).toEqual([TODAY]);
  expect(it.key().failures).toBe(0);
});

test('a stopped turn ends soon and continues later', async () => {
  const organization = new Organization({ provider: 'anthropic', facts: factsOf(40), pageDays: 1 });
  const it = world({ organization });
  const stop = new AbortController();
  const ask = organization.ask.bind(organization);
  let asked = 0;
  organization.ask = (...request) => {
    if ((asked += 1) === 9) stop.abort();
    return ask(...request);
  };
  await it.turn(false, stop.signal);
  expect(asked).toBe(9);
  await it.finish();
  expect((await it.rows()).usage).toHaveLength(40);
});

test('when two processes read the same report, one stores the page and the other stops', async () => {
  const organization = new Organization({ provider: 'anthropic', facts: factsOf(12), pageDays: 2 });
  const it = world({ organization, source: short(anthropicReports, 12, 3) });
  await Promise.all([it.turn(), it.turn(), it.turn()]);
  await it.finish();
  const clean = world({ organization: new Organization(organization.options), source: it.place.source });
  await clean.finish();
  expect(await it.rows()).toEqual(await clean.rows());
});
