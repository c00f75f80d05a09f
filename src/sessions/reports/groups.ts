import type { LocalSource } from '../../domain/sessions/local-call.ts';
import { addWhole, type WholeAmount } from '../../domain/money/money.ts';
import type { Period } from '../../domain/time/period.ts';
import { windowAt } from '../../domain/time/window.ts';
import { type ModelUse, RunningTotals } from './model-use.ts';

export const GROUPINGS = ['daily', 'weekly', 'monthly', 'session', 'model', 'project', 'assistant'] as const;
export type UsageGrouping = (typeof GROUPINGS)[number];

/** Common members of the uses in a group. */
interface GroupIdentity {
  /** For `daily`, `weekly` (from Monday) and `monthly`, in the time zone. */
  readonly period?: Period;
  /** For `session`, `model` and `assistant`. */
  readonly source?: LocalSource;
  readonly sessionId?: string;
  readonly model?: string;
  /** For `project` and `session`; null = unknown. */
  readonly project?: string | null;
}

export interface UsageGroup extends GroupIdentity {
  /** Epoch ms of the first and the last use. */
  readonly first: number;
  readonly last: number;
  /** Models used, the most expensive first. */
  readonly models: readonly string[];
  /** Number of sessions. */
  readonly sessions: number;
  readonly totals: RunningTotals;
}

interface OpenGroup {
  readonly common: GroupIdentity;
  readonly first: number;
  last: number;
  readonly costs: Map<string, WholeAmount>;
  readonly sessions: Set<string>;
  readonly totals: RunningTotals;
}

/**
 * Groups and sums uses. Each use is in one group, so every grouping has the same total. Periods and sessions are sorted by
 * time, models, projects and assistants by cost.
 *
 * @param uses the earliest first
 */
export function groupUses(uses: Iterable<ModelUse>, by: UsageGrouping, timeZone: string): UsageGroup[] {
  const groups = new Map<string, OpenGroup>();
  const keyOf = KEY_BY_GROUPING[by](timeZone);
  for (const use of uses) {
    const { key, common } = keyOf(use);
    let group = groups.get(key);
    if (!group) groups.set(key, (group = openGroup(common(), use.call.at)));
    addToGroup(group, use);
  }
  return [...groups.values()].map(closeGroup).toSorted(SORTED_BY_COST.has(by) ? byCost : byTime);
}

/** Key of a use's group, and its common members, which are built once per group. */
interface GroupKey {
  readonly key: string;
  readonly common: () => GroupIdentity;
}

const KEY_BY_GROUPING: Readonly<Record<UsageGrouping, (timeZone: string) => (use: ModelUse) => GroupKey>> = {
  daily: (timeZone) => byPeriod('day', timeZone),
  weekly: (timeZone) => byPeriod('week', timeZone),
  monthly: (timeZone) => byPeriod('month', timeZone),
  session:
    () =>
    ({ call }) => ({
      key: `${call.source} ${call.sessionId}`,
      common: () => ({ source: call.source, sessionId: call.sessionId, project: call.project }),
    }),
  model:
    () =>
    ({ call, model }) => ({
      key: `${call.source} ${model}`,
      common: () => ({ source: call.source, model }),
    }),
  project:
    () =>
    ({ call }) => ({ key: call.project ?? '', common: () => ({ project: call.project }) }),
  assistant:
    () =>
    ({ call: { source } }) => ({ key: source, common: () => ({ source }) }),
};

/** Groups by period. Uses are sorted by time, so each period is calculated once. */
function byPeriod(window: 'day' | 'week' | 'month', timeZone: string): (use: ModelUse) => GroupKey {
  let period: Period = { start: 0, end: 0 };
  let place = periodKey(period);
  const zones = [{ zone: timeZone, since: 0 }];
  return ({ call: { at } }) => {
    if (at >= period.start && at < period.end) return place;
    period = windowAt(window, at, zones);
    return (place = periodKey(period));
  };
}

function periodKey(period: Period): GroupKey {
  return { key: String(period.start), common: () => ({ period }) };
}

function openGroup(common: GroupIdentity, at: number): OpenGroup {
  return { common, first: at, last: at, costs: new Map(), sessions: new Set(), totals: new RunningTotals() };
}

function addToGroup(group: OpenGroup, use: ModelUse): void {
  const { call, model, cost } = use;
  group.last = call.at;
  group.costs.set(model, addWhole(group.costs.get(model) ?? 0, cost ?? 0));
  group.sessions.add(call.sessionId);
  group.totals.add(use);
}

function closeGroup({ common, first, last, costs, sessions, totals }: OpenGroup): UsageGroup {
  const models = [...costs].toSorted(([a, costA], [b, costB]) => compareValues(costB, costA) || compareValues(a, b));
  return { ...common, first, last, models: models.map(([model]) => model), sessions: sessions.size, totals };
}

const SORTED_BY_COST: ReadonlySet<UsageGrouping> = new Set(['model', 'project', 'assistant']);

function byTime(a: UsageGroup, b: UsageGroup): number {
  return (
    compareValues(a.last, b.last) ||
    compareValues(a.first, b.first) ||
    compareValues(a.sessionId ?? '', b.sessionId ?? '')
  );
}

function byCost(a: UsageGroup, b: UsageGroup): number {
  return compareValues(b.totals.cost ?? -1, a.totals.cost ?? -1) || compareValues(groupName(a), groupName(b));
}

function groupName({ model, project, source }: UsageGroup): string {
  return model ?? project ?? source ?? '';
}

function compareValues<T extends WholeAmount | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
