import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import type {
  ReportDay,
  ReportedCost,
  ReportedPerson,
  ReportedUsage,
  ReportName,
} from '../../domain/reconciliation/provider-report.ts';
import type { ReportPage, ReportState } from '../provider-reports.ts';
import type { OpenEmpty } from '../../../test/support/filled-store.ts';
import { DAY_MS } from '../../domain/time/units.ts';

const DAY = Date.parse('2026-11-01T00:00:00Z');
const WHOLE = { start: 0, end: 2_000_000_000_000 };
const START: ReportState = { revision: 0, goal: 0, top: DAY, doneFrom: DAY, doneTo: DAY, cursor: null, readAt: 0 };

const usage = (changes: Partial<ReportedUsage> = {}): ReportedUsage => ({
  key: 'apikey_1',
  project: null,
  model: 'm',
  tier: 'standard',
  context: '0-200k',
  geo: 'global',
  speed: null,
  amounts: { input: 5, cacheWrite1h: 7, output: 3, webSearch: 1, inputAudio: 2 },
  requests: null,
  ...changes,
});
const cost = (changes: Partial<ReportedCost> = {}): ReportedCost => ({
  key: null,
  project: 'wrkspc_1',
  model: 'm',
  tier: 'standard',
  context: null,
  geo: null,
  kind: 'tokens',
  class: 'output',
  line: 'M Usage - Output',
  amount: '123.78912345678',
  unit: 'USD cent',
  nanoUsd: 1_237_891_235,
  ...changes,
});
const person: ReportedPerson = {
  actor: { kind: 'user', name: 'ada@example.com' },
  customer: 'api',
  subscription: null,
  terminal: 'vscode',
  isRemote: false,
  sessions: 2,
  linesAdded: 10,
  linesRemoved: 3,
  commits: 1,
  pullRequests: 0,
  tools: { edit_tool: { accepted: 4, rejected: 1 } },
  models: [],
};
const name: ReportName = {
  kind: 'key',
  id: 'apikey_1',
  name: 'prod',
  hint: 'sk-ant-api03-R2D...igAA',
  project: null,
  status: 'active',
};

const page = (changes: Partial<ReportPage> = {}): ReportPage => ({
  connectionId: 'ak_1',
  report: 'messages',
  readAt: 1,
  days: [],
  goesOn: false,
  names: [],
  state: START,
  ...changes,
});
const usageDay = (rows: readonly ReportedUsage[], day = DAY): ReportDay => ({ kind: 'usage', day, rows });
const later = (state: ReportState, revision: number): ReportState => ({ ...state, revision });

export function providerReports(open: OpenEmpty): void {
  test('report rows are returned unchanged, separate by connection', async () => {
    const { providerReports: reports } = await open();
    await reports.keep(page({ days: [usageDay([usage(), usage({ key: null, requests: 4 })])] }));
    await reports.keep(page({ report: 'cost', days: [{ kind: 'cost', day: DAY, rows: [cost(), cost()] }] }));
    await reports.keep(page({ report: 'people', days: [{ kind: 'people', day: DAY, rows: [person] }] }));
    await reports.keep(page({ report: 'api_keys', names: [name] }));
    const [day] = await reports.usage('ak_1', WHOLE);
    expect(day?.rows).toHaveLength(2);
    expect(day?.rows).toEqual(expect.arrayContaining([usage(), usage({ key: null, requests: 4 })]));
    expect(await reports.costs('ak_1', WHOLE)).toEqual([{ day: DAY, rows: [cost(), cost()] }]);
    expect(await reports.people('ak_1', WHOLE)).toEqual([{ day: DAY, rows: [person] }]);
    expect(await reports.names('ak_1')).toEqual([name]);
    for (const read of ['usage', 'costs', 'people'] as const) expect(await reports[read]('ak_2', WHOLE)).toEqual([]);
    expect(await reports.names('ak_2')).toEqual([]);
    expect(await reports.usage('ak_1', { start: DAY + 1, end: DAY + DAY_MS })).toEqual([]);
  });

  test('a day replaces the earlier rows of its report, and of no other day or report', async () => {
    const { providerReports: reports } = await open();
    const next = DAY + DAY_MS;
    await reports.keep(page({ days: [usageDay([usage(), usage({ model: 'gone' })]), usageDay([usage()], next)] }));
    await reports.keep(page({ report: 'embeddings', days: [usageDay([usage({ model: 'e' })])] }));
    await reports.keep(page({ days: [usageDay([usage({ requests: 9 })])], state: later(START, 1) }));
    expect(await reports.usage('ak_1', WHOLE)).toMatchObject([
      { day: DAY, rows: expect.arrayContaining([usage({ requests: 9 }), usage({ model: 'e' })]) },
      { day: next, rows: [usage()] },
    ]);
    expect((await reports.usage('ak_1', WHOLE))[0]?.rows).toHaveLength(2);
    await reports.keep(page({ days: [usageDay([])], state: later(START, 2) }));
    expect((await reports.usage('ak_1', WHOLE))[0]?.rows).toEqual([usage({ model: 'e' })]);
  });

  test('of a day that a page has twice, the last counts', async () => {
    const { providerReports: reports } = await open();
    const days = [usageDay([usage({ requests: 1 })]), usageDay([usage()], DAY + DAY_MS), usageDay([usage()])];
    await reports.keep(page({ days }));
    expect(await reports.usage('ak_1', WHOLE)).toEqual([
      { day: DAY, rows: [usage()] },
      { day: DAY + DAY_MS, rows: [usage()] },
    ]);
  });

  test('a further page is added to its day, and reading the day again replaces both', async () => {
    const { providerReports: reports } = await open();
    const day = (...rows: ReportedPerson[]): ReportDay[] => [{ kind: 'people', day: DAY, rows }];
    const second = { ...person, terminal: 'tmux' };
    await reports.keep(page({ report: 'people', days: day(person) }));
    await reports.keep(page({ report: 'people', days: day(second), goesOn: true, state: later(START, 1) }));
    expect(await reports.people('ak_1', WHOLE)).toEqual([{ day: DAY, rows: [person, second] }]);
    await reports.keep(page({ report: 'people', days: day(second), state: later(START, 2) }));
    expect(await reports.people('ak_1', WHOLE)).toEqual([{ day: DAY, rows: [second] }]);
  });

  test('usage by day, report, key and model has every row once, over all projects', async () => {
    const { providerReports: reports } = await open();
    const next = DAY + DAY_MS;
    const rows = [usage(), usage({ project: 'p' }), usage({ tier: 'batch', requests: 4 }), usage({ key: null })];
    await reports.keep(page({ days: [usageDay(rows), usageDay([usage({ model: null })], next)] }));
    await reports.keep(page({ report: 'embeddings', days: [usageDay([usage({ amounts: { input: 9 } })])] }));
    const part = ({ key: _key, model: _model, project: _project, ...rest }: ReportedUsage) => rest;
    const cells = await reports.cells('ak_1', WHOLE);
    const whole = cells.find(({ rows: { length } }) => length > 1);
    expect(cells).toHaveLength(4);
    expect(whole?.rows).toHaveLength(3);
    const parts = expect.arrayContaining(rows.slice(0, 3).map(part));
    expect(whole).toEqual({ day: DAY, key: 'apikey_1', model: 'm', rows: parts });
    const embedded = part(usage({ amounts: { input: 9 } }));
    expect(cells).toContainEqual({ day: DAY, key: 'apikey_1', model: 'm', rows: [embedded] });
    expect(cells).toContainEqual({ day: DAY, key: null, model: 'm', rows: [part(usage())] });
    expect(cells).toContainEqual({ day: next, key: 'apikey_1', model: null, rows: [part(usage())] });
    expect(await reports.cells('ak_1', { start: next, end: next + 1 })).toHaveLength(1);
    expect(await reports.cells('ak_1', { start: DAY + 1, end: next })).toEqual([]);
    expect(await reports.cells('ak_2', WHOLE)).toEqual([]);
  });

  test('a page requested before another one was stored is not stored, nor is its state', async () => {
    const { providerReports: reports } = await open();
    expect(await reports.states('ak_1')).toEqual(new Map());
    const cursor = { start: DAY, end: DAY + DAY_MS, page: 'page_2' };
    const state = { ...START, goal: 5, top: 9, doneFrom: 7, doneTo: 8, cursor, readAt: 3 };
    expect(await reports.keep(page({ state, days: [usageDay([usage()])] }))).toBe(true);
    expect(await reports.keep(page({ days: [usageDay([])] }))).toBe(false);
    expect(await reports.states('ak_1')).toEqual(new Map([['messages', { ...state, revision: 1 }]]));
    expect(await reports.usage('ak_1', WHOLE)).toEqual([{ day: DAY, rows: [usage()] }]);
  });

  test('a connection’s rows are deleted in parts, and no other’s', async () => {
    const { providerReports: reports } = await open();
    const rows = Array.from({ length: 12 }, (_, number) => usage({ key: `k${number}` }));
    for (const connectionId of ['ak_1', 'ak_2'])
      await reports.keep(page({ connectionId, names: [name], days: [usageDay(rows), usageDay(rows, DAY + DAY_MS)] }));
    let turns = 0;
    while ((await reports.drop('ak_1', 10)) > 0) turns += 1;
    expect(turns).toBeLessThan(9);
    expect(await reports.usage('ak_1', WHOLE)).toEqual([]);
    expect(await reports.names('ak_1')).toEqual([]);
    expect(await reports.states('ak_1')).toEqual(new Map());
    expect(await reports.usage('ak_2', WHOLE)).toHaveLength(2);
  });

  test('the last page of each day wins, in any order of pages', async () => {
    const models = fc.constantFrom('a', 'b', null);
    const rows = fc.uniqueArray(fc.record({ model: models, requests: fc.nat(9) }), { selector: ({ model }) => model });
    const pages = fc.array(fc.tuple(fc.constantFrom('x', 'y'), fc.nat(3), rows), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(pages, async (list) => {
        const { providerReports: reports } = await open();
        const expected = new Map<string, readonly ReportedUsage[]>();
        const revisions = new Map<string, number>();
        for (const [report, number, some] of list) {
          const day = DAY + number * DAY_MS;
          const full = some.map((row) => usage(row));
          const revision = revisions.get(report) ?? 0;
          await reports.keep(page({ report, days: [usageDay(full, day)], state: later(START, revision) }));
          revisions.set(report, revision + 1);
          expected.set(`${report} ${day}`, full);
        }
        const kept = (await reports.usage('ak_1', WHOLE)).flatMap(({ rows: of }) => of);
        const wanted = [...expected.values()].flat();
        const sorted = (all: readonly ReportedUsage[]) =>
          all.map(({ model, requests }) => `${model} ${requests}`).toSorted();
        expect(sorted(kept)).toEqual(sorted(wanted));
      }),
      propertyRuns(40),
    );
  });
}
