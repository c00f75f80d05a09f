import { NANO_MAX, NANO_PER_USD } from '../domain/money/money.ts';
import { asMembers, type JsonObject } from '../lib/json/values.ts';
import type { ResponseHead } from './provider.ts';

/** Reads the cost that an answer states in its usage or headers, in nano-USD; null = it states none. */
export type ReadStatedCost = (usage: JsonObject, headers: ResponseHead['headers']) => number | null;

const TICKS_PER_USD = 10_000_000_000;

export function readNoCost(): null {
  return null;
}

/**
 * OpenRouter docs, "Usage Accounting": `cost` is charged to the account. With a key of one's own for the upstream
 * provider (`is_byok`) this is a fee, and `upstream_inference_cost` is charged to that key.
 */
export function readOpenRouterCost(usage: JsonObject): number | null {
  const cost = asStatedAmount(usage['cost']);
  if (cost === null || usage['is_byok'] === false) return roundStatedCost(cost);
  const upstream = asStatedAmount(asMembers(usage['cost_details'])['upstream_inference_cost']);
  if (upstream === null) return usage['is_byok'] === true ? null : roundStatedCost(cost);
  return roundStatedCost(cost + upstream);
}

/** xAI docs, "Usage": `cost_in_usd_ticks` is the exact bill. */
export function readXaiCost(usage: JsonObject): number | null {
  const ticks = asStatedAmount(usage['cost_in_usd_ticks']);
  return ticks === null ? null : roundStatedCost(ticks / TICKS_PER_USD);
}

/** Perplexity docs, "Agent API": the total has the fees of searches and requests. */
export function readPerplexityCost(usage: JsonObject): number | null {
  const cost = asMembers(usage['cost']);
  const isDollars = (cost['currency'] ?? 'USD') === 'USD';
  return isDollars ? roundStatedCost(asStatedAmount(cost['total_cost'])) : null;
}

/**
 * LiteLLM docs, "Response Headers": the cost of a whole answer is in a header. A stream has it in its usage, if
 * `include_cost_in_streaming_usage` is set. LiteLLM says 0 for a model that it has no price for.
 */
export function readLitellmCost(usage: JsonObject, headers: ResponseHead['headers']): number | null {
  const header = headers['x-litellm-response-cost'];
  const stated = typeof header === 'string' && header !== '' ? Number(header) : usage['cost'];
  return roundStatedCost(asStatedAmount(stated) || null);
}

function asStatedAmount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

function roundStatedCost(usd: number | null): number | null {
  const nano = usd === null ? null : Math.round(usd * NANO_PER_USD);
  return nano !== null && nano <= NANO_MAX ? nano : null;
}
