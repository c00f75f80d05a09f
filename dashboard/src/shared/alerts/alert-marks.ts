import type { AlertShape } from '../../../../src/contract/alerts.ts';
import { useRead } from '../api/use-api.ts';
import type { ChartMark } from '../chart/chart-actions.ts';
import { isolatedQuotes } from '../format/isolated.ts';

const ALERTS_MAX = 100;

/** Returns the newest alerts as marks of a chart. @param isAbout chooses alerts */
export function useAlertMarks(isAbout: (alert: AlertShape) => boolean): readonly ChartMark[] {
  const { data = [] } = useRead('GET /api/mcp/alerts', { query: { limit: ALERTS_MAX }, changedBy: ['alert'] });
  return data.filter((alert) => alert.severity !== 'info' && isAbout(alert)).map(alertMark);
}

/** Types whose period is the time of what happened. Others, such as the window of a limit, begin long before. */
const TYPES_WITH_TIME: ReadonlySet<string> = new Set(['COST_SPIKE', 'UNUSUAL_ACTIVITY', 'ERROR_SPIKE']);

function alertMark({ id, type, title, severity, createdAt, period }: AlertShape): ChartMark {
  return {
    at: period && TYPES_WITH_TIME.has(type) ? period.start : createdAt,
    text: isolatedQuotes(title),
    tone: severity === 'critical' ? 'bad' : 'warn',
    to: `/alerts/${id}`,
  };
}
