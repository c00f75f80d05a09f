import { z } from 'zod';
import { addCoverage, type Coverage, NO_COVERAGE, passedShare } from '../../core/coverage.ts';
import { usdFromNano } from '../../core/money.ts';
import { bucketStarts, iso, readPeriod } from '../../core/period.ts';
import type { CoveredDay } from '../../storage/report-rest.ts';
import { periodQuery } from '../contract.ts';
import { coverageAnswer, type CoverageShape } from '../contract-coverage.ts';
import { endpoint } from '../endpoint.ts';

export const coverage = endpoint({
  method: 'GET',
  path: '/api/manage/coverage',
  summary: 'How much of organizations’ spend passes the gate, over time',
  description:
    'By UTC days that the provider changes no more, at list price. Every workspace’s gate is meant: a key may be wrapped in any.',
  scope: 'admin',
  right: 'read',
  query: periodQuery.extend({ step: z.enum(['day', 'week', 'month']).default('week') }),
  answer: coverageAnswer,
  async handle({ caller, query }, { clock, records, reportRest }) {
    const period = readPeriod(query.startDate, query.endDate, clock());
    const starts = bucketStarts(period, query.step, 'UTC');
    const days = await reportRest.coverage(caller.workspaceId, period);
    const byConnection = Map.groupBy(days, ({ connectionId }) => connectionId);
    const keys = await records.adminKeys.list(caller.workspaceId);
    return {
      period: { start: iso(period.start), end: iso(period.end) },
      step: query.step,
      organizations: keys.map(({ id, name, provider }) => {
        const own = byConnection.get(id) ?? [];
        return { id, name, provider, ...spend(sum(own)), points: points(own, starts) };
      }),
    };
  },
});

function points(
  days: readonly CoveredDay[],
  starts: readonly number[],
): CoverageShape['organizations'][number]['points'] {
  const byStart = Map.groupBy(days, ({ day }) => starts.findLast((start) => start <= day) ?? 0);
  return [...byStart].map(([start, own]) => ({ start: iso(start).slice(0, 10), ...spend(sum(own)) }));
}

function sum(days: readonly CoveredDay[]): Coverage {
  return days.map((day) => day.coverage).reduce(addCoverage, NO_COVERAGE);
}

function spend(of: Coverage) {
  const { total, beside, unclear } = of;
  return {
    total: usdFromNano(total),
    passed: usdFromNano(total - beside - unclear),
    beside: usdFromNano(beside),
    unclear: usdFromNano(unclear),
    share: passedShare(of),
  };
}
