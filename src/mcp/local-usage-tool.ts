import { z } from 'zod';
import { usdFromNano } from '../domain/money/money.ts';
import { toIso } from '../domain/time/period.ts';
import { PLANS } from '../domain/sessions/plan.ts';
import type { UsageGroup } from '../sessions/reports/groups.ts';
import { buildLocalReport } from '../sessions/reports/local-report.ts';
import type { PlanReport } from '../sessions/reports/plan-report.ts';
import { assistantTitle, readToolSource, sourceInput, sourceOutput, type ToolSource } from './asked-source.ts';
import {
  costText,
  localNotes,
  TOTALS_COLUMNS,
  totalsCells,
  totalsData,
  type TotalsData,
  totalsShape,
  warningsShape,
} from './local-shapes.ts';
import { choice, maxAgeHours } from './parameters.ts';
import { readSessions } from './read-sessions.ts';
import { page, ROWS_MAX, table } from './render.ts';
import { defineTool, type Tool } from './tool.ts';
import { countNoun } from '../domain/text/counts.ts';
import { formatDateTime } from '../domain/text/dates.ts';
import { formatDollars } from '../domain/text/money.ts';

const DAY_CHARACTERS = 10;
/** Plans of the specification; all are Anthropic's. */
const PLAN_NAMES = ['pro', 'max_5x', 'max_20x'] as const;

const savingsShape = z.object({
  plan: z.enum(PLAN_NAMES),
  usdPerMonth: z.number(),
  start: z.string(),
  end: z.string(),
  days: z.number(),
  planCost: z.number().meta({ description: 'US dollars for these days: the prorated monthly price' }),
  retailCost: z.number().meta({ description: 'US dollars at list prices' }),
  savings: z.number().meta({ description: 'Below 0 if the plan costs more than it saves' }),
  status: z.enum(['Saving', 'Below Breakeven', 'No Usage']),
});

const output = z.object({
  maxAgeHours: z.number(),
  sessions: z.int(),
  totals: totalsShape,
  models: z.array(z.object({ model: z.string(), ...totalsShape.shape })),
  days: z.array(z.object({ day: z.string(), ...totalsShape.shape })),
  savings: savingsShape.optional(),
  warnings: warningsShape,
});

export function localUsageTool(name: `svc_${string}`, fixed: ToolSource): Tool {
  const assistant = assistantTitle(fixed);
  const takesPlan = fixed === 'claude_code';
  const plan = choice(
    PLAN_NAMES,
    'Adds the savings of this plan: retail cost of the sessions minus its prorated price',
  );
  return defineTool({
    name,
    title: `${assistant} usage on this machine`,
    description: `Usage of ${assistant} on this machine, from its session files: tokens and cost at list prices by model and day. Uploads nothing and needs no service. Counts sessions modified within maxAgeHours in full, including usage on earlier days.`,
    input: {
      ...sourceInput(fixed),
      maxAgeHours: maxAgeHours(24),
      ...(takesPlan && { subscriptionPlan: plan.optional() }),
    },
    output: output.extend(sourceOutput(fixed)),
    hints: { readOnly: true, idempotent: true, zone: 'machine' },
    needsFiles: true,
    async run(args, context) {
      const subscriptionPlan = 'subscriptionPlan' in args ? plan.optional().parse(args['subscriptionPlan']) : undefined;
      const source = readToolSource(fixed, args);
      const { uses, warnings } = await readSessions(source, args.maxAgeHours, context);
      const { timeZone } = context.machine;
      const wish = { timeZone, range: { since: null, until: null }, now: context.clock() };
      const byModel = buildLocalReport(uses, { ...wish, by: 'model', plan: subscriptionPlan ?? null });
      const byDay = buildLocalReport(uses, { ...wish, by: 'daily', plan: null });
      return {
        ...(fixed === null && { source }),
        maxAgeHours: args.maxAgeHours,
        sessions: new Set(uses.map(({ call }) => call.sessionId)).size,
        totals: totalsData(byModel.totals),
        models: byModel.groups.map(modelData),
        days: byDay.groups.map((group) => dayData(group, timeZone)),
        ...(byModel.plan && { savings: savingsData(byModel.plan) }),
        warnings: [...warnings],
      };
    },
    markdown({ sessions, totals, models, days, savings, warnings, maxAgeHours: hours, ...data }, timeZone) {
      const title = assistantTitle(readToolSource(fixed, data));
      if (sessions === 0)
        return page(
          `No session of ${title} was modified within the last ${hours} hours.`,
          localNotes(totals, warnings),
        );
      return page(
        `**${costText(totals)}** at list prices for ${countNoun(totals.calls, 'call')} in ${countNoun(sessions, 'session')} of ${title}, modified within the last ${hours} hours, counted in full`,
        table(
          ['Model', ...TOTALS_COLUMNS],
          models.map((row) => usageCells(row.model, row)),
        ),
        table(
          [`Day (${timeZone})`, ...TOTALS_COLUMNS],
          days.slice(-ROWS_MAX).map((row) => usageCells(row.day, row)),
        ),
        savings && savingsText(savings, timeZone),
        localNotes(totals, warnings),
      );
    },
  });
}

function modelData({ model = '', totals }: UsageGroup): TotalsData & { model: string } {
  return { model, ...totalsData(totals) };
}

function dayData({ first, totals }: UsageGroup, timeZone: string): TotalsData & { day: string } {
  return { day: formatDateTime(toIso(first), timeZone).slice(0, DAY_CHARACTERS), ...totalsData(totals) };
}

function usageCells(name: string, totals: TotalsData): string[] {
  return [name, ...totalsCells(totals)];
}

type SavingsData = z.output<typeof savingsShape>;

function savingsData({ plan, period, days, cost, retail, savings, status }: PlanReport): SavingsData {
  return {
    plan: savingsShape.shape.plan.parse(plan),
    usdPerMonth: PLANS[plan].usdPerMonth,
    start: toIso(period.start),
    end: toIso(period.end),
    days,
    planCost: usdFromNano(cost),
    retailCost: usdFromNano(retail),
    savings: Number(`${savings}e-9`),
    status,
  };
}

function savingsText(
  { plan, usdPerMonth, planCost, retailCost, savings, status, days, start }: SavingsData,
  zone: string,
) {
  const since = formatDateTime(start, zone).slice(0, DAY_CHARACTERS);
  return `**${status}**: ${formatDollars(retailCost)} retail − ${formatDollars(planCost)} for ${PLANS[plan].title} (${formatDollars(usdPerMonth)} a month, for the ${countNoun(days, 'day')} since ${since}) = **${formatDollars(savings)}**`;
}
