import { usdFromNano } from '../../domain/money/money.ts';
import { toIso, readPeriod } from '../../domain/time/period.ts';
import { priceAge } from '../../prices/price-age.ts';
import type { PriceCoverage } from '../../contract/prices.ts';
import type { StatedDifference } from '../../domain/pricing/stated-difference.ts';
import { readStatedDifferences } from '../../storage/stated-differences.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ModelUse, UsageQueries } from '../../storage/usage-queries.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PriceBook } from '../../prices/price-book.ts';
import type { Provider } from '../../providers/provider.ts';

export interface PriceCoverageServices {
  readonly clock: Clock;
  readonly reports: UsageQueries;
  readonly prices: PriceBook;
  readonly providers: ReadonlyMap<string, Provider>;
}

const MODELS_MAX = 500;

export const getPriceCoverage = endpoint(
  'GET /api/mcp/pricing/coverage',
  async ({ caller: { workspaceId }, query }, services: PriceCoverageServices) => {
    const now = services.clock();
    const period = readPeriod(query.startDate, query.endDate, now);
    const used = await services.reports.models(workspaceId, period);
    const differences = await readStatedDifferences(services, workspaceId, now);
    const shown = used.toSorted(unpricedFirst).slice(0, MODELS_MAX);
    return {
      period: { start: toIso(period.start), end: toIso(period.end) },
      calls: used.reduce((sum, { totals }) => sum + totals.calls, 0),
      unpricedCalls: used.reduce((sum, { totals }) => sum + totals.unpricedCalls, 0),
      priceLists: priceListAge(services.prices.checkedAt(), now),
      models: shown.map(({ provider, model, totals }) => ({
        provider,
        model,
        calls: totals.calls,
        cost: usdFromNano(totals.cost),
        unpricedCalls: totals.unpricedCalls,
        statedPrice: statedPrice(differences.find((one) => one.provider === provider && one.model === model)),
        price: model === null ? null : currentPrice(services, workspaceId, provider, model, now),
      })),
      hasMore: used.length > shown.length,
    };
  },
);

function statedPrice(found: StatedDifference | undefined): PriceCoverage['models'][number]['statedPrice'] {
  return found ? { ratio: Math.round(found.ratio * 10_000) / 10_000, since: toIso(found.since) } : null;
}

function priceListAge(checkedAt: number, now: number): PriceCoverage['priceLists'] {
  return { ...priceAge(checkedAt, now), checkedAt: toIso(checkedAt) };
}

function unpricedFirst(a: ModelUse, b: ModelUse): number {
  return b.totals.unpricedCalls - a.totals.unpricedCalls || Number(b.totals.cost - a.totals.cost);
}

function currentPrice(
  { prices, providers }: Pick<PriceCoverageServices, 'prices' | 'providers'>,
  workspaceId: string,
  provider: string,
  model: string,
  now: number,
): PriceCoverage['models'][number]['price'] {
  const card = prices.resolve(workspaceId, providers.get(provider)?.priceProvider ?? provider, model, now);
  return card && { model: card.model, source: card.source, version: card.version };
}
