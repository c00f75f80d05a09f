import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { PriceShape, UserPriceShape } from '../../../../src/contract/usage.ts';
import type { PriceCoverage } from '../../../../src/contract/values.ts';
import { useChange, useRead } from '../../shared/api/use-api.ts';

const CHANGED_BY_PRICES = ['/api/manage/prices', '/api/mcp/pricing', '/api/mcp/usage', '/api/mcp/entries'];

/** Reads all current prices; custom prices override the lists. */
export function usePrices(): UseQueryResult<readonly PriceShape[]> {
  return useRead<readonly PriceShape[]>('/api/mcp/pricing');
}

/** Reads the custom prices of the workspace. */
export function useCustomPrices(): UseQueryResult<readonly UserPriceShape[]> {
  return useRead<readonly UserPriceShape[]>('/api/manage/prices');
}

/** Reads the models used in the last 30 days and the source of their price. */
export function usePriceCoverage(): UseQueryResult<PriceCoverage> {
  return useRead<PriceCoverage>('/api/mcp/pricing/coverage', { changedBy: ['recorded'] });
}

export interface NewPrice {
  readonly provider: string;
  readonly model: string;
  /** ISO day in UTC; absent = always. */
  readonly from?: string;
  /** US dollars per million tokens by class, as typed, so that no digit is lost. */
  readonly usdPerMillion: Readonly<Record<string, string>>;
}

export function useSetPrice(): UseMutationResult<UserPriceShape, Error, NewPrice> {
  return useChange<NewPrice, UserPriceShape>((body) => ({ path: '/api/manage/prices', body }), CHANGED_BY_PRICES);
}

export function useRemovePrice(id: string): UseMutationResult<unknown, Error, void> {
  return useChange<void>(
    () => ({ method: 'DELETE', path: `/api/manage/prices/${encodeURIComponent(id)}` }),
    CHANGED_BY_PRICES,
  );
}
