import { PROVIDER_OF_SOURCE } from '../../domain/sessions/local-call.ts';
import { PLANS, type PlanName } from '../../domain/sessions/plan.ts';
import { windowAt } from '../../domain/time/window.ts';
import { type Block, blocksOf } from './blocks.ts';
import { type Group, type Grouping, groupUses } from './groups.ts';
import { type PlanReport, planReport } from './plan-report.ts';
import type { Range } from './read-range.ts';
import { type Sum, sumOf } from './totals.ts';
import type { Use } from './use.ts';

export type ReportKind = Grouping | 'blocks';

export interface ReportWish {
  readonly by: ReportKind;
  readonly timeZone: string;
  readonly range: Range;
  readonly plan: PlanName | null;
  /** Epoch ms. */
  readonly now: number;
}

export interface LocalReport extends Omit<ReportWish, 'plan'> {
  readonly totals: Sum;
  /** Empty when it is by blocks. */
  readonly groups: readonly Group[];
  readonly blocks: readonly Block[];
  readonly plan: PlanReport | null;
  /** Sentences that say what has no price, with how many calls; the most come first. */
  readonly unpriced: readonly (readonly [sentence: string, calls: number])[];
  /** Calls whose model the files don't name. */
  readonly assumedModels: number;
}

/** @param all the earliest first */
export function localReport(all: readonly Use[], wish: ReportWish): LocalReport {
  const { by, timeZone, range, now } = wish;
  const isAsked = ({ call }: Use): boolean =>
    call.at >= (range.since ?? -Infinity) && call.at < (range.until ?? Infinity);
  const uses = all.filter(isAsked);
  return {
    by,
    timeZone,
    range,
    now,
    totals: sumOf(uses),
    groups: by === 'blocks' ? [] : groupUses(uses, by, timeZone),
    blocks: by === 'blocks' ? blocksOf(all, isAsked) : [],
    plan: wish.plan === null ? null : planOf(uses, wish.plan, wish),
    unpriced: unpricedOf(uses),
    assumedModels: uses.reduce((sum, { call, calls }) => sum + (call.modelAssumed ? calls : 0), 0),
  };
}

/** From the first day asked for, else the first one used, until the last one asked for, at most the end of today. */
function planOf(uses: readonly Use[], plan: PlanName, { range, timeZone, now }: ReportWish): PlanReport {
  const covered = uses.find(({ call }) => PROVIDER_OF_SOURCE[call.source] === PLANS[plan].provider);
  const dayOf = (at: number) => windowAt('day', at, [{ zone: timeZone, since: 0 }]);
  const end = Math.min(range.until ?? Infinity, dayOf(now).end);
  const start = range.since ?? dayOf(covered?.call.at ?? now).start;
  return planReport(uses, plan, { start: Math.min(start, end), end }, timeZone);
}

function unpricedOf(uses: readonly Use[]): [string, number][] {
  const calls = new Map<string, number>();
  for (const use of uses) if (use.missing !== null) calls.set(use.missing, (calls.get(use.missing) ?? 0) + use.calls);
  return [...calls].toSorted(([, a], [, b]) => b - a);
}
