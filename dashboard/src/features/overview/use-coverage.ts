import type { ReconciliationShape } from '../../../../src/contract/reconciliation.ts';
import { useRead } from '../../shared/api/use-read.ts';

interface MonthCoverage {
  /** US dollars of providers' cost that passed the gate, of those that are known for sure. */
  readonly passed: number;
  readonly total: number;
}

/** What of the providers' own figures passed the gate this month; null = nobody can say (yet). */
export function useCoverage(monthStart: string, enabled: boolean): MonthCoverage | null {
  const { data } = useRead<ReconciliationShape>('/api/manage/reconciliation', {
    query: { startDate: monthStart },
    enabled,
  });
  if (!data) return null;
  const parts = data.organizations.map(({ coverage }) => coverage);
  const total = parts.reduce((sum, part) => sum + part.total, 0);
  return total === 0 ? null : { passed: parts.reduce((sum, part) => sum + part.passed, 0), total };
}
