import { ASSISTANT_DIMENSIONS, type AssistantUsage, NO_VALUE } from '../contract/assistants.ts';
import type { RouteQuery } from '../contract/routes.ts';
import { type PlanBlock, PlanBlocks } from '../domain/sessions/plan-blocks.ts';
import { PLAN_PROVIDERS } from '../domain/sessions/subscription.ts';
import { bucketStarts, type Period, readPeriod, toIso } from '../domain/time/period.ts';
import { addUnder, type MutableTotals, sumTotals } from '../domain/usage/usage-totals.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import type { SeriesRow } from '../storage/usage-queries.ts';
import { endpoint } from './http/endpoint.ts';
import {
  type AssistantParts,
  type AssistantRow,
  type AssistantRows,
  readAssistantRows,
} from './usage/assistant-rows.ts';
import {
  breakDown,
  compareRetailCost,
  listValues,
  sessionFacts,
  readValue,
  sumAssistantRows,
} from './usage/assistant-sums.ts';
import { type AssistantOutcomes, readAssistantOutcomes } from './usage/assistant-outcomes.ts';
import { planCosts, planMoney } from './usage/plan-costs.ts';
import { foldSmall, seriesPoint } from './usage/series.ts';

export interface AssistantServices extends AssistantParts {
  readonly records: AssistantParts['records'] & Pick<Records, 'outcomes'>;
  readonly clock: Clock;
}

type AssistantQuery = RouteQuery<'GET /api/mcp/assistants'>;

const BLOCKS_SHOWN = 10;
/** Values of the series that are apart. */
const LAYERS_MAX = 7;

export const getAssistants = endpoint(
  'GET /api/mcp/assistants',
  async ({ caller: { workspaceId }, query }, services: AssistantServices) => {
    const now = services.clock();
    const range = readPeriod(query.startDate, query.endDate, now);
    const read = await readAssistantRows(services, workspaceId, range);
    const { rows: all, from, plans } = read;
    const matches = filterCheck(query);
    const rows = all.filter(matches);
    const outcomes = await readAssistantOutcomes(services.records, workspaceId, range, query, read);
    const sessions = groupSessions(rows, query.sort, outcomes.ofSession);
    const blocks = groupBlocks(all, matches, now);
    return {
      period: periodView(range),
      timeZone: plans.timeZone,
      from: toIso(from),
      isComplete: from === range.start,
      total: sumAssistantRows(rows),
      rows: byDimension((dimension) => breakDown(rows, dimension)),
      series: buildAssistantSeries(rows, query, range, plans.timeZone),
      sessions: sessions.slice(0, query.limit),
      sessionsLeftOut: Math.max(0, sessions.length - query.limit),
      outcomes: outcomes.shown,
      blocks: blocks.slice(0, BLOCKS_SHOWN),
      blocksLeftOut: Math.max(0, blocks.length - BLOCKS_SHOWN),
      plans: hasFilter(query) ? null : planValue(read, range, now),
      values: byDimension((dimension) => listValues(all, dimension)),
    };
  },
);

function periodView({ start, end }: Period) {
  return { start: toIso(start), end: toIso(end) };
}

function byDimension<Value>(build: (dimension: (typeof ASSISTANT_DIMENSIONS)[number]) => Value) {
  return {
    assistant: build('assistant'),
    person: build('person'),
    credential: build('credential'),
    project: build('project'),
    model: build('model'),
  };
}

function hasFilter({ session, covered, ...query }: AssistantQuery): boolean {
  return [session, covered, ...ASSISTANT_DIMENSIONS.map((name) => query[name])].some((value) => value !== undefined);
}

/** Returns a check if a row passes the filter of a request. */
function filterCheck(query: AssistantQuery): (row: AssistantRow) => boolean {
  const { session, covered } = query;
  const wanted = ASSISTANT_DIMENSIONS.flatMap((dimension) => {
    const value = query[dimension];
    return value === undefined ? [] : [{ dimension, value: value === NO_VALUE ? null : value }];
  });
  return (row) =>
    (covered === undefined || row.isCovered === (covered === 'true')) &&
    (session === undefined || isSession(row, session)) &&
    wanted.every(({ dimension, value }) => readValue(row, dimension) === value);
}

function isSession({ session, sessionHash }: AssistantRow, asked: string): boolean {
  return asked === NO_VALUE ? session === null : session === asked || sessionHash === asked;
}

function buildAssistantSeries(
  rows: readonly AssistantRow[],
  { by, step }: AssistantQuery,
  range: Period,
  timeZone: string,
): AssistantUsage['series'] {
  const starts = bucketStarts(range, step, timeZone);
  const bucketOf = bucketFinder(starts);
  const points = [...Map.groupBy(rows, ({ hour }) => bucketOf(hour))].flatMap(([bucket, own]) => {
    const sums = new Map<string | null, MutableTotals>();
    for (const row of own) addUnder(sums, readValue(row, by), row.totals);
    return Array.from(sums, ([value, totals]): SeriesRow => ({ bucket, value, totals }));
  });
  return {
    period: periodView(range),
    step,
    timeZone,
    by,
    starts: starts.map(toIso),
    points: foldSmall(points, LAYERS_MAX).map(seriesPoint),
  };
}

/** Returns a function that finds the step of an hour. Usage of the hour in which a period starts is in its first step. */
function bucketFinder(starts: readonly number[]): (hour: number) => number {
  const found = new Map<number, number>();
  return (hour) => {
    let bucket = found.get(hour);
    if (bucket === undefined)
      found.set(hour, (bucket = starts.findLast((start) => start <= hour) ?? starts[0] ?? hour));
    return bucket;
  };
}

/** Usage without a session is one row for each assistant and person. */
function groupSessions(
  rows: readonly AssistantRow[],
  sort: AssistantQuery['sort'],
  outcomesOf: AssistantOutcomes['ofSession'],
): AssistantUsage['sessions'] {
  const groups = Map.groupBy(rows, ({ session, assistant, person }) =>
    session === null ? JSON.stringify([assistant, person.value]) : session,
  );
  const sessions = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const models = [...new Set(group.flatMap(({ model }) => model ?? []))].toSorted();
    const { session, sessionHash } = first;
    const outcomes = outcomesOf(sessionHash);
    return [{ session, models, outcomes, ...sessionFacts(first, group), ...sumAssistantRows(group) }];
  });
  return sessions.toSorted((a, b) =>
    sort === 'cost' ? compareRetailCost(a, b) : Date.parse(b.lastAt) - Date.parse(a.lastAt),
  );
}

/** All usage, which is in order of time, decides when blocks start; only what passes the filter is in their sums. */
function groupBlocks(
  all: readonly AssistantRow[],
  matches: (row: AssistantRow) => boolean,
  now: number,
): AssistantUsage['blocks'] {
  const times = new PlanBlocks<string>();
  const groups = new Map<string, PlanBlock & { readonly rows: AssistantRow[] }>();
  for (const row of all) {
    const account = JSON.stringify([row.assistant, row.person.value]);
    const block = times.at(account, row.firstAt);
    const name = `${block.start} ${account}`;
    const group = groups.get(name) ?? { ...block, rows: [] };
    if (!matches(row)) continue;
    groups.set(name, group);
    group.rows.push(row);
  }
  return [...groups.values()]
    .toSorted((a, b) => b.start - a.start)
    .flatMap(({ start, end, rows }) => {
      const [first] = rows;
      if (!first) return [];
      const { assistant, person } = first;
      return [
        { assistant, person, start: toIso(start), end: toIso(end), isOpen: end > now, ...sumAssistantRows(rows) },
      ];
    });
}

/** Compares the subscriptions of a period with what they cover; null = there are none. */
function planValue({ rows, plans }: AssistantRows, whole: Period, now: number): AssistantUsage['plans'] {
  const { subscriptions, timeZone } = plans;
  const past = { start: whole.start, end: Math.min(whole.end, Math.max(whole.start, now)) };
  const paid = subscriptions.flatMap((subscription) => planCosts(subscription, { whole, past, timeZone }) ?? []);
  if (paid.length === 0) return null;
  const covered = rows.filter(({ isCovered }) => isCovered);
  return {
    ...planMoney(sumTotals(covered), paid),
    providers: PLAN_PROVIDERS.flatMap((provider) => {
      const own = paid.filter(({ subscription }) => subscription.provider === provider);
      if (own.length === 0) return [];
      const used = sumTotals(covered.filter((row) => row.provider === provider));
      return [{ provider, names: own.map(({ subscription }) => subscription.name), ...planMoney(used, own) }];
    }),
  };
}
