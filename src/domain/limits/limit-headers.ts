import type { CounterStatus } from './limit.ts';
import { usdTextFromNano } from '../money/money.ts';

/**
 * Response headers with what is left under a limit, names and values in turn: its id, its unit, what remains
 * (dollars with nine decimals, or a count), and when it resets.
 */
export function limitHeaders({ limit, left, windowEnd }: CounterStatus): string[] {
  const headers = ['x-svc-limit-id', limit.id, 'x-svc-limit-unit', limit.unit];
  headers.push('x-svc-limit-remaining', limit.unit === 'usd' ? usdTextFromNano(left) : String(left));
  if (windowEnd !== null) headers.push('x-svc-limit-resets-at', rememberedIso(windowEnd));
  return headers;
}

let last = { instant: NaN, text: '' };

/** Call after call has the same window's end, and the text costs most of all this. */
function rememberedIso(instant: number): string {
  if (instant !== last.instant) last = { instant, text: new Date(instant).toISOString() };
  return last.text;
}
