import type { GateUse } from './gate-use.ts';
import { REPORT_CLASSES, type ReportAmounts } from './provider-report.ts';
import { OUTPUT_CLASSES, PROMPT_CLASSES, TOKEN_CLASSES, USE_CLASSES } from './usage.ts';

/**
 * On which day a provider has calls that were under way at midnight: the book has them where they began, a provider may
 * have them where they ended, and none says which. Report and gate tell it together, for each provider key and model: on
 * the day that is wrong the gate knows of use that the report does not hold, or the report of use that did not pass.
 */

type Use = Pick<GateUse, 'terms' | 'amounts'>;

/** What one provider key used of one model on a UTC day. */
export interface DaySides {
  readonly reported: readonly ReportAmounts[];
  /** Of calls that began on it. */
  readonly passed: readonly Use[];
  /** Of these, those that ended on the day after. */
  readonly late: readonly Use[];
}

/**
 * Whether calls under way between two days stand on the second: that leaves less unsaid. Calls of the midnights before
 * and after are taken to stand likewise.
 * @param before calls that ended on the first of the days, and began before it
 * @param second null = the provider still changes it, so that it says nothing yet
 */
export function standsWhereEnded(before: readonly Use[], first: DaySides, second: DaySides | null): boolean {
  const byBegin = [apart(first, sumOf(first.passed)), second ? apart(second, sumOf(second.passed)) : NONE].reduce(both);
  const byEnd = [apart(first, moved(first, before)), second ? apart(second, moved(second, first.late)) : NONE].reduce(
    both,
  );
  if (byBegin.missing !== byEnd.missing) return byEnd.missing < byBegin.missing;
  return byEnd.beside < byBegin.beside;
}

interface Sum {
  readonly sure: ReportAmounts;
  /** Tokens that calls of which not all is known may have used. */
  readonly input: number;
  readonly output: number;
}

/** Tokens and uses. */
interface Apart {
  /** That the gate knows of and the report does not hold. */
  readonly missing: number;
  /** That the report holds beyond all that may have passed. */
  readonly beside: number;
}

const NONE: Apart = { missing: 0, beside: 0 };

function moved({ passed, late }: DaySides, into: readonly Use[]): Sum {
  const [all, gone, come] = [sumOf(passed), sumOf(late), sumOf(into)];
  const sure: ReportAmounts = {};
  for (const name of REPORT_CLASSES)
    sure[name] = (all.sure[name] ?? 0) - (gone.sure[name] ?? 0) + (come.sure[name] ?? 0);
  return { sure, input: all.input - gone.input + come.input, output: all.output - gone.output + come.output };
}

function sumOf(uses: readonly Use[]): Sum {
  const sure: ReportAmounts = {};
  let [input, output] = [0, 0];
  for (const { terms, amounts } of uses)
    if (terms.isSure) addTo(sure, amounts);
    else {
      input += amounts.input ?? 0;
      output += amounts.output ?? 0;
    }
  return { sure, input, output };
}

function apart({ reported }: DaySides, { sure, input, output }: Sum): Apart {
  const more: ReportAmounts = {};
  for (const amounts of reported) addTo(more, amounts);
  let missing = 0;
  for (const name of REPORT_CLASSES) {
    const rest = (more[name] ?? 0) - (sure[name] ?? 0);
    missing += Math.max(0, -rest);
    more[name] = Math.max(0, rest);
  }
  const sum = (names: readonly (keyof ReportAmounts)[]): number =>
    names.reduce((all, name) => all + (more[name] ?? 0), 0);
  const beside = Math.max(0, sum(PROMPT_CLASSES) - input) + Math.max(0, sum(OUTPUT_CLASSES) - output);
  return { missing, beside: beside + sum(USE_CLASSES) };
}

function both(a: Apart, b: Apart): Apart {
  return { missing: a.missing + b.missing, beside: a.beside + b.beside };
}

function addTo(sum: ReportAmounts, amounts: ReportAmounts): void {
  for (const name of REPORT_CLASSES) if (amounts[name]) sum[name] = (sum[name] ?? 0) + amounts[name];
}

/** Takes use off where a sum holds it. */
export function lessUse<Of extends GateUse>(use: Of): Of {
  const amounts: GateUse['amounts'] = {};
  for (const name of [...TOKEN_CLASSES, ...USE_CLASSES]) if (use.amounts[name]) amounts[name] = -use.amounts[name];
  const { calls, failedCalls, cost, uncertainUpTo } = use;
  return { ...use, amounts, calls: -calls, failedCalls: -failedCalls, cost: -cost, uncertainUpTo: -uncertainUpTo };
}
