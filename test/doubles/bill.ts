import type { SandboxRequest, ProviderName } from '../../src/demo/answers/answer.ts';
import { LIST_PRICES, type ListPrice, type ListRates } from './list-prices.ts';
import { type Plan, tokensOf } from './plan.ts';

/** One call on the double's own bill. */
export interface BillRow {
  /** Id in the answer and in its request id, as `SeenRequest.id`. */
  readonly id: string;
  readonly provider: ProviderName;
  readonly model: string;
  /** The provider key that came with the call. */
  readonly key: string;
  /**
   * nano-USD; null = the model has no public price. An answer that broke off, or was never read, is billed in full: the
   * worst that a provider could do. An error status costs nothing.
   */
  readonly nano: bigint | null;
  /** The answer does not say which of its passes was long, and the price depends on it: billed as long. */
  readonly unsure: boolean;
  /** The answer and its usage went out whole. */
  delivered: boolean;
}

/** Bill of the double. Its prices and arithmetic are independent of the code under test. */
export class Bill {
  readonly rows: BillRow[] = [];

  /** nano-USD of all calls, or of those with one provider key. */
  total(key?: string): bigint {
    return this.rows.reduce((sum, row) => (key === undefined || row.key === key ? sum + (row.nano ?? 0n) : sum), 0n);
  }
}

/** Returns the charge of a complete response. */
export function charge(
  provider: ProviderName,
  asked: Pick<SandboxRequest, 'operation' | 'model'>,
  plan: Plan,
): Pick<BillRow, 'nano' | 'unsure'> {
  const model = plan.model ?? asked.model;
  const searches = asked.operation === 'chat' || asked.operation === 'embeddings' ? 0 : (plan.searches ?? 0);
  const inferences = inferencesOf(provider, asked.operation, model, plan);
  let amount = 0n;
  let unsure = false;
  for (const { model: name, ...counts } of inferences) {
    const price = priceOf(provider, name);
    if (!price) return { nano: null, unsure: false };
    const long = price.long !== undefined && promptOf(counts) > price.long.above;
    unsure ||= long && searches > 0 && provider !== 'google' && plan.passes === undefined;
    const rates =
      plan.speed === 'fast' && price.fast ? price.fast : long && price.long ? price.long.rates : price.rates;
    const factor = BigInt((price.tiers?.[plan.tier ?? ''] ?? 100) * (price.geos?.[plan.geo ?? ''] ?? 100));
    amount += tokensPico(counts, rates) * factor;
  }
  amount += searchesPico(priceOf(provider, model), searches) * PLAIN_FACTOR;
  return { nano: roundHalfUp(amount, PLAIN_FACTOR * PICO_PER_NANO), unsure };
}

/** Tier and geography, each in hundredths. */
const PLAIN_FACTOR = 100n * 100n;
const PICO_PER_NANO = 1_000n;

interface Counts {
  readonly input: number;
  readonly inputAudio: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
}

const NONE: Counts = { input: 0, inputAudio: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };

function inferencesOf(
  provider: ProviderName,
  operation: SandboxRequest['operation'],
  model: string,
  plan: Plan,
): (Counts & { model: string })[] {
  const tokens = tokensOf(plan);
  if (operation === 'embeddings') return [{ ...NONE, model, input: tokens.input }];
  const writes = provider === 'google' ? { cacheWrite5m: 0, cacheWrite1h: 0 } : {};
  const passes = provider === 'anthropic' ? (plan.passes ?? []) : [];
  const own = { ...tokens, ...writes, model };
  return [own, ...passes.map((pass) => Object.assign({}, NONE, pass, { model: pass.model ?? model }))];
}

export function priceOf(provider: ProviderName, model: string): ListPrice | undefined {
  return LIST_PRICES[provider].find(({ models }) => models.includes(model));
}

function promptOf({ input, inputAudio, cacheRead, cacheWrite5m, cacheWrite1h }: Counts): number {
  return input + inputAudio + cacheRead + cacheWrite5m + cacheWrite1h;
}

function tokensPico(counts: Counts, rates: ListRates): bigint {
  const lines: readonly (readonly [number, number | undefined])[] = [
    [counts.input, rates.input],
    [counts.inputAudio, rates.inputAudio],
    [counts.cacheRead, rates.cacheRead],
    [counts.cacheWrite5m, rates.cacheWrite5m],
    [counts.cacheWrite1h, rates.cacheWrite1h],
    [counts.output, rates.output],
  ];
  return lines.reduce((sum, [count, rate]) => sum + BigInt(Math.round(count)) * pico(rate ?? rates.input), 0n);
}

/** USD per million tokens = as many millionths of a USD, or 10^6 pico-USD, per token. */
function pico(usdPerMillion: number): bigint {
  return BigInt(Math.round(usdPerMillion * 1e6));
}

function searchesPico(price: ListPrice | undefined, searches: number): bigint {
  if (!price?.search || searches === 0) return 0n;
  const count = price.search.per === 'answer' ? 1 : searches;
  return BigInt(count) * BigInt(price.search.perThousand) * 1_000_000_000n;
}

function roundHalfUp(num: bigint, den: bigint): bigint {
  return (2n * num + den) / (2n * den);
}
