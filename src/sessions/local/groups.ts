import type { LocalSource } from '../../domain/sessions/local-call.ts';
import { addWhole, type WholeAmount } from '../../domain/money/money.ts';
import type { Period } from '../../domain/time/period.ts';
import { windowAt } from '../../domain/time/window.ts';
import { Sum } from './totals.ts';
import type { Use } from './use.ts';

export const GROUPINGS = ['daily', 'weekly', 'monthly', 'session', 'model', 'project'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** What uses have in common. */
interface Common {
  /** For `daily`, `weekly` (from Monday) and `monthly`: of the time zone. */
  readonly period?: Period;
  /** For `session` and `model`. */
  readonly source?: LocalSource;
  readonly sessionId?: string;
  readonly model?: string;
  /** For `project`, and where a session began; null = not told. */
  readonly project?: string | null;
}

export interface Group extends Common {
  /** Epoch ms of the first and the last use. */
  readonly first: number;
  readonly last: number;
  /** The models used, the dearest first. */
  readonly models: readonly string[];
  /** How many different ones. */
  readonly sessions: number;
  readonly totals: Sum;
}

interface Drawer {
  readonly common: Common;
  readonly first: number;
  last: number;
  readonly costs: Map<string, WholeAmount>;
  readonly sessions: Set<string>;
  readonly totals: Sum;
}

/**
 * Sums uses by what they have in common. Each use is in one group, so that every grouping has the same total. Periods
 * and sessions come by time, models and projects by cost.
 *
 * @param uses the earliest first
 */
export function groupUses(uses: Iterable<Use>, by: Grouping, timeZone: string): Group[] {
  const drawers = new Map<string, Drawer>();
  const commonOf = COMMON[by](timeZone);
  for (const use of uses) {
    const { key, common } = commonOf(use);
    let drawer = drawers.get(key);
    if (!drawer) drawers.set(key, (drawer = openDrawer(common(), use.call.at)));
    put(drawer, use);
  }
  return [...drawers.values()].map(close).toSorted(by === 'model' || by === 'project' ? byCost : byTime);
}

/** What a use is put under, and what is told of that: asked for once. */
interface Place {
  readonly key: string;
  readonly common: () => Common;
}

const COMMON: Readonly<Record<Grouping, (timeZone: string) => (use: Use) => Place>> = {
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
};

/** Uses come by time, so that a period is worked out once. */
function byPeriod(window: 'day' | 'week' | 'month', timeZone: string): (use: Use) => Place {
  let period: Period = { start: 0, end: 0 };
  let place = placeOf(period);
  const zones = [{ zone: timeZone, since: 0 }];
  return ({ call: { at } }) => {
    if (at >= period.start && at < period.end) return place;
    period = windowAt(window, at, zones);
    return (place = placeOf(period));
  };
}

function placeOf(period: Period): Place {
  return { key: String(period.start), common: () => ({ period }) };
}

function openDrawer(common: Common, at: number): Drawer {
  return { common, first: at, last: at, costs: new Map(), sessions: new Set(), totals: new Sum() };
}

function put(drawer: Drawer, use: Use): void {
  const { call, model, cost } = use;
  drawer.last = call.at;
  drawer.costs.set(model, addWhole(drawer.costs.get(model) ?? 0, cost ?? 0));
  drawer.sessions.add(call.sessionId);
  drawer.totals.add(use);
}

function close({ common, first, last, costs, sessions, totals }: Drawer): Group {
  const models = [...costs].toSorted(([a, costA], [b, costB]) => compare(costB, costA) || compare(a, b));
  return { ...common, first, last, models: models.map(([model]) => model), sessions: sessions.size, totals };
}

function byTime(a: Group, b: Group): number {
  return compare(a.last, b.last) || compare(a.first, b.first) || compare(a.sessionId ?? '', b.sessionId ?? '');
}

function byCost(a: Group, b: Group): number {
  return compare(b.totals.cost ?? -1, a.totals.cost ?? -1) || compare(nameOf(a), nameOf(b));
}

function nameOf({ model, project }: Group): string {
  return model ?? project ?? '';
}

function compare<T extends WholeAmount | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
