import { PROVIDER_OF_SOURCE } from '../../domain/sessions/local-call.ts';
import { PLANS, type PlanName } from '../../domain/sessions/plan.ts';
import { windowAt } from '../../domain/time/window.ts';
import { type UsageBlock, buildBlocks } from './blocks.ts';
import { type UsageGroup, type UsageGrouping, groupUses } from './groups.ts';
import { type PlanReport, planReport } from './plan-report.ts';
import type { TimeRange } from './time-range.ts';
import { type ModelUse, type RunningTotals, sumUses } from './model-use.ts';

export type ReportKind = UsageGrouping | 'blocks';

export interface LocalReportOptions {
  readonly by: ReportKind;
  readonly timeZone: string;
  readonly range: TimeRange;
  readonly plan: PlanName | null;
  /** Epoch ms. */
  readonly now: number;
}

export interface LocalReport extends Omit<LocalReportOptions, 'plan'> {
  readonly totals: RunningTotals;
  /** Empty for a report by blocks. */
  readonly groups: readonly UsageGroup[];
  readonly blocks: readonly UsageBlock[];
  /** The same usage by assistant; empty if there is only one. */
  readonly assistants: readonly UsageGroup[];
  readonly plan: PlanReport | null;
  /** Sentences on missing prices with the number of calls, the most frequent first. */
  readonly unpriced: readonly (readonly [sentence: string, calls: number])[];
  /** Calls whose model is missing in the files. */
  readonly assumedModels: number;
}

/**
 * Builds a report.
 * @param all uses, the earliest first
 */
export function buildLocalReport(all: readonly ModelUse[], wish: LocalReportOptions): LocalReport {
  const { by, timeZone, range, now } = wish;
  const isAsked = ({ call }: ModelUse): boolean =>
    call.at >= (range.since ?? -Infinity) && call.at < (range.until ?? Infinity);
  const uses = all.filter(isAsked);
  const assistants = groupUses(uses, 'assistant', timeZone);
  return {
    by,
    timeZone,
    range,
    now,
    totals: sumUses(uses),
    groups: by === 'blocks' ? [] : groupUses(uses, by, timeZone),
    blocks: by === 'blocks' ? buildBlocks(all, isAsked) : [],
    assistants: assistants.length > 1 ? assistants : [],
    plan: wish.plan === null ? null : buildPlanReport(uses, wish.plan, wish),
    unpriced: countUnpriced(uses),
    assumedModels: uses.reduce((sum, { call, calls }) => sum + (call.modelAssumed ? calls : 0), 0),
  };
}

/** Builds the plan report from the first requested day, or the first day with usage, to the last one, at most today. */
function buildPlanReport(
  uses: readonly ModelUse[],
  plan: PlanName,
  { range, timeZone, now }: LocalReportOptions,
): PlanReport {
  const covered = uses.find(({ call }) => PROVIDER_OF_SOURCE[call.source] === PLANS[plan].provider);
  const dayOf = (at: number) => windowAt('day', at, [{ zone: timeZone, since: 0 }]);
  const end = Math.min(range.until ?? Infinity, dayOf(now).end);
  const start = range.since ?? dayOf(covered?.call.at ?? now).start;
  return planReport(uses, plan, { start: Math.min(start, end), end }, timeZone);
}

function countUnpriced(uses: readonly ModelUse[]): [string, number][] {
  const calls = new Map<string, number>();
  for (const use of uses) if (use.missing !== null) calls.set(use.missing, (calls.get(use.missing) ?? 0) + use.calls);
  return [...calls].toSorted(([, a], [, b]) => b - a);
}
