import {
  addCoverage,
  type SpendCoverage,
  NO_COVERAGE,
  throughGatewayShare,
} from '../domain/reconciliation/coverage.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { bucketStarts, type Period, readUtcDays, toIso, utcDate } from '../domain/time/period.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';
import type { CoveredDay, UnproxiedUsageStore } from '../storage/unproxied-usage.ts';
import { type CoverageShape } from '../contract/coverage.ts';
import { endpoint } from './http/endpoint.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';

export interface CoverageServices {
  readonly clock: Clock;
  readonly records: Records;
  readonly unproxiedUsage: UnproxiedUsageStore;
}

export const coverage = endpoint(
  'GET /api/manage/coverage',
  async ({ caller, query }, { clock, records, unproxiedUsage }: CoverageServices) => {
    const period = readUtcDays(query.startDate, query.endDate, clock());
    const starts = bucketStarts(period, query.step, 'UTC');
    const days = await unproxiedUsage.coverage(caller.workspaceId, period);
    const byConnection = Map.groupBy(days, ({ connectionId }) => connectionId);
    const keys = await records.adminKeys.list(caller.workspaceId);
    return {
      period: { start: toIso(period.start), end: toIso(period.end) },
      step: query.step,
      organizations: keys.map((key) => organizationCoverage(key, byConnection.get(key.id) ?? [], starts)),
    };
  },
);

/** Computes how much of an organization's spend went through the gateway, for whole UTC days at list price. */
export async function organizationRangeCoverage(
  { unproxiedUsage }: Pick<CoverageServices, 'unproxiedUsage'>,
  { id, workspaceId }: AdminKey,
  range: Period,
): Promise<SpendCoverage> {
  return sumCoverage(
    (await unproxiedUsage.coverage(workspaceId, range)).filter(({ connectionId }) => connectionId === id),
  );
}

type OrganizationCoverage = CoverageShape['organizations'][number];

function organizationCoverage(
  { id, name, provider }: AdminKey,
  days: readonly CoveredDay[],
  starts: readonly number[],
): OrganizationCoverage {
  const byStart = Map.groupBy(days, ({ day }) => starts.findLast((start) => start <= day) ?? 0);
  const points = [...byStart].map(([start, own]) => coveragePoint(start, own));
  return { id, name, provider, ...coverageView(sumCoverage(days)), points };
}

function coveragePoint(start: number, days: readonly CoveredDay[]): OrganizationCoverage['points'][number] {
  return { start: utcDate(start), ...coverageView(sumCoverage(days)) };
}

function sumCoverage(days: readonly CoveredDay[]): SpendCoverage {
  return days.map((day) => day.coverage).reduce(addCoverage, NO_COVERAGE);
}

function coverageView(of: SpendCoverage) {
  const { total, unproxied, unknown: unclear } = of;
  return {
    total: usdFromNano(total),
    throughGateway: usdFromNano(total - unproxied - unclear),
    outsideGateway: usdFromNano(unproxied),
    unknown: usdFromNano(unclear),
    share: throughGatewayShare(of),
  };
}
