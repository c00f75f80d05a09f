import type { Clock } from '../lib/clock.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import type { PricedAs } from '../storage/counter-store.ts';
import type { SessionPricing } from '../storage/session-store.ts';

interface ModelPriceParts {
  readonly prices: Pick<PriceBook, 'resolve'>;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly clock: Clock;
}

/** Returns a function that finds the model under which a workspace's calls are priced now. */
export function modelPricing({ prices, providers, clock }: ModelPriceParts, workspaceId: string): PricedAs {
  return (provider, model) => {
    const priceProvider = providers.get(provider)?.priceProvider ?? provider;
    return prices.resolve(workspaceId, priceProvider, model, clock())?.model ?? null;
  };
}

/** Returns the names and prices of a workspace's assistant sessions. */
export function sessionPricing(parts: ModelPriceParts, workspaceId: string): SessionPricing {
  return {
    pricedAs: modelPricing(parts, workspaceId),
    resolve: (provider, model, at) => {
      const priceProvider = parts.providers.get(provider)?.priceProvider ?? provider;
      return parts.prices.resolve(workspaceId, priceProvider, model, at);
    },
  };
}
