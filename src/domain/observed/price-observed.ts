import { joinVersions } from '../pricing/provenance.ts';
import { priceUsage, type ResolveCard } from '../pricing/pricing.ts';
import type { TokenCounts, Usage } from '../usage/usage.ts';
import type { ObservedCall, ObservedCost } from './observed-call.ts';

/** Web searches of one call that are tried when a stated cost is explained. */
const SEARCHES_TRIED = 50;

/** An observed call whose usage is as exact as its report allows, and its cost. */
export interface PricedObservation extends ObservedCost {
  readonly usage: Usage | null;
}

/**
 * Prices an observed call. An event's stated cost is its cost. Telemetry of Claude Code leaves out how long cache writes
 * last and how many web searches there were, but states the cost that they lead to, so both are found from it. If that
 * fails, the lowest cost is taken, and the rest is uncertain.
 */
export function priceObserved(call: ObservedCall, resolve: ResolveCard): PricedObservation {
  const { usage, statedCost, source } = call;
  if (source === 'usage_event' && statedCost !== null) return sure(usage, statedCost, null);
  if (!usage) return sure(null, statedCost, null);
  const writes = openWrites(usage);
  if (call.assistant !== 'claude_code') return priceAs(usage, call, resolve);
  const explained = statedCost === null ? null : explainStatedCost(usage, writes, statedCost, call, resolve);
  if (explained) return explained;
  const lowest = priceAs(withWrites(usage, writes, 0, 0), call, resolve);
  const highest = priceAs(withWrites(usage, writes, writes, 0), call, resolve);
  if (lowest.cost === null || highest.cost === null) return lowest;
  return { ...lowest, usage, uncertainUpTo: highest.cost - lowest.cost };
}

/** Cache writes of unknown lifetime. */
function openWrites({ inferences }: Usage): number {
  return inferences.reduce((sum, { tokens }) => sum + (tokens.cacheWrite ?? 0), 0);
}

/** Finds one-hour cache writes and web searches with which the usage costs exactly what was stated. */
function explainStatedCost(
  usage: Usage,
  writes: number,
  stated: number,
  call: ObservedCall,
  resolve: ResolveCard,
): PricedObservation | null {
  const none = priceAs(withWrites(usage, writes, 0, 0), call, resolve);
  const all = priceAs(withWrites(usage, writes, writes, 0), call, resolve);
  const fee = resolve(call.model)?.fees.webSearch ?? 0;
  if (none.cost === null || all.cost === null) return null;
  for (let searches = 0; searches <= (fee > 0 ? SEARCHES_TRIED : 0); searches += 1) {
    const left = stated - none.cost - Math.round((searches * fee) / 1_000);
    if (left < -1) return null;
    const range = all.cost - none.cost;
    const hours = range === 0 ? 0 : Math.round((left * writes) / range);
    if (hours > writes) continue;
    const tried = priceAs(withWrites(usage, writes, hours, searches), call, resolve);
    // The stated cost is a binary fraction of a dollar, so it may be off by one.
    if (tried.cost !== null && Math.abs(tried.cost - stated) <= 1) return tried;
  }
  return null;
}

function withWrites(usage: Usage, writes: number, hours: number, searches: number): Usage {
  const inferences = usage.inferences.map((inference) => {
    const { cacheWrite: _, ...others } = inference.tokens;
    const tokens: TokenCounts = { ...others };
    if (writes > hours) tokens.cacheWrite5m = writes - hours;
    if (hours > 0) tokens.cacheWrite1h = hours;
    return { ...inference, tokens };
  });
  return { ...usage, inferences, uses: searches === 0 ? usage.uses : { ...usage.uses, webSearch: searches } };
}

function priceAs(usage: Usage, { model, statedCost }: ObservedCall, resolve: ResolveCard): PricedObservation {
  const { cost, versions } = priceUsage(usage, model, resolve);
  if (cost === null) return sure(usage, statedCost, null);
  return sure(usage, cost, versions.length === 0 ? null : joinVersions(versions));
}

function sure(usage: Usage | null, cost: number | null, priceVersion: string | null): PricedObservation {
  return { usage, cost, uncertainUpTo: 0, priceVersion };
}
