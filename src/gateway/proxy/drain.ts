import type { RateCard } from '../../domain/pricing/price.ts';

/** Assumed bytes of a token, to bound the output that is read after the client disconnected. */
const BYTES_PER_TOKEN = 4;
const DRAIN_BYTES_UNPRICED = 256 * 1024;

export interface DrainLimits {
  readonly drainMsMax: number;
  readonly drainNanoUsdMax: number;
}

/** End of reading an answer whose client has disconnected. It is read that far to learn its usage. */
export interface Drain {
  /** Uptime. */
  readonly until: number;
  /** Output bytes of the whole answer. */
  readonly outputBytesMax: number;
}

/**
 * @param outputBytes already read
 * @param card of the requested model; null = it has no price
 */
export function openDrain(
  { drainMsMax, drainNanoUsdMax }: DrainLimits,
  uptime: number,
  outputBytes: number,
  card: RateCard | null,
): Drain {
  const rate = card?.tiers[0]?.rates.output;
  const more = rate ? ((drainNanoUsdMax * 1_000) / rate) * BYTES_PER_TOKEN : DRAIN_BYTES_UNPRICED;
  return { until: uptime + drainMsMax, outputBytesMax: outputBytes + more };
}
