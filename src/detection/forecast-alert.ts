import type { Alert } from '../domain/alerts/alert.ts';
import type { LimitForecast } from '../domain/limits/forecast-limit.ts';
import type { CounterStatus } from '../domain/limits/limit.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { describeLimit, describeValue } from '../domain/text/limits.ts';
import { formatDateTime } from '../domain/text/dates.ts';
import { formatUsd } from '../domain/text/money.ts';

const PREFIX = 'forecast:';
const SHOWN_NAME_MAX = 100;

/**
 * Builds the alert that a limit in dollars is forecast to be exceeded before its window ends. Raised once per window.
 */
export function forecastAlert(standing: CounterStatus, forecast: LimitForecast, timeZone: string, now: number): Alert {
  const { limit, value, counted, amount, windowStart, windowEnd } = standing;
  const shown = value.slice(0, SHOWN_NAME_MAX);
  const which = describeValue(limit, shown);
  const plain = limit.label === null ? `The limit of ${describeLimit(limit)}` : `The limit "${limit.label}"`;
  const name = which === '' ? plain : `${plain} (${which})`;
  const at = `${formatDateTime(forecast.passesAt ?? now, timeZone)} (${timeZone})`;
  const end =
    windowEnd === null ? '' : `, and about ${formatUsd(forecast.expected)} are expected by the end of its window`;
  const effect = limit.action === 'block' ? ' Calls that do not fit are refused from then on.' : '';
  return {
    type: 'BUDGET_WARNING',
    severity: 'warning',
    workspaceId: limit.workspaceId,
    title: `${name} will be used up`,
    message: `${name} is forecast to be used up by ${at}: ${formatUsd(counted)} of ${formatUsd(amount)} are counted so far${end}.${effect}`,
    episode: forecastEpisode(standing),
    createdAt: now,
    scope: { limit: limit.id, ...(value === '' ? {} : { value: shown }) },
    value: usdFromNano(forecast.expected),
    threshold: usdFromNano(amount),
    period: windowEnd === null ? null : { start: windowStart, end: windowEnd },
    evidence: {
      unit: 'usd',
      counted: usdFromNano(counted),
      passesAt: new Date(forecast.passesAt ?? now).toISOString(),
      quiet: usdFromNano(forecast.quiet),
      basis: forecast.basis,
      days: forecast.days,
    },
  };
}

export function forecastEpisode({ limit, windowStart, value }: CounterStatus): string {
  return `${PREFIX}${limit.id}:${windowStart}:${value}`;
}

export function isForecast({ episode }: Pick<Alert, 'episode'>): boolean {
  return episode.startsWith(PREFIX);
}
