import type { UsageSeries } from '../contract/usage.ts';
import type { CustomPriceShape } from '../contract/prices.ts';
import { TollbookError } from '../domain/errors.ts';
import { parseUsd, usdFromNano } from '../domain/money/money.ts';
import { PRICE_USD_MAX } from '../domain/pricing/price.ts';

/**
 * Weights of the classes of tokens. List prices of open models are near them: an output token costs some four times an
 * uncached input token, and a cached one a tenth.
 */
const WEIGHTS = { input: 1, cacheRead: 0.1, output: 4 } as const;
const MILLION = 1_000_000;
/** Decimals of dollars per million tokens. */
const DECIMALS = 6;

/** Use of a model on a server that is paid by the hour. */
export interface HourlyUse {
  readonly provider: string;
  readonly model: string;
  readonly points: UsageSeries['points'];
  readonly hours: number;
}

/**
 * Returns the price per token at which the use costs what the hours cost, idle ones too.
 * @param usdPerHour dollars as text
 */
export function hourlyPrice({ provider, model, points, hours }: HourlyUse, usdPerHour: string): CustomPriceShape {
  const sum = (name: 'inputTokens' | 'cacheReadTokens' | 'outputTokens'): number =>
    points.reduce((all, point) => all + point[name], 0);
  const cacheRead = sum('cacheReadTokens');
  const weighted =
    (sum('inputTokens') - cacheRead) * WEIGHTS.input +
    cacheRead * WEIGHTS.cacheRead +
    sum('outputTokens') * WEIGHTS.output;
  if (weighted <= 0)
    throw new TollbookError(
      'unprocessable',
      `${model} has no recorded tokens in this time. Choose more with --since, or the model as "tollbook spend --by model" names it.`,
    );
  const perMillion = (usdFromNano(parseUsd(usdPerHour)) * hours * MILLION) / weighted;
  if (perMillion * WEIGHTS.output > PRICE_USD_MAX)
    throw new TollbookError(
      'unprocessable',
      `The recorded tokens are too few: an output token would cost more than $${PRICE_USD_MAX} a million. Choose more with --since.`,
    );
  const rates = Object.entries(WEIGHTS).map(([name, weight]) => [name, (perMillion * weight).toFixed(DECIMALS)]);
  return { provider, model, usdPerMillion: Object.fromEntries(rates) as CustomPriceShape['usdPerMillion'] };
}
