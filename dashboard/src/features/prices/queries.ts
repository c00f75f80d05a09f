import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type {
  ContractShape,
  NewContractShape,
  PriceCoverage,
  PriceShape,
  PriceUpdateShape,
  RepricePreview,
  UserPriceShape,
} from '../../../../src/contract/prices.ts';
import { useChange, useRead } from '../../shared/api/use-api.ts';

const CHANGED_BY_PRICES = ['/api/manage/prices', '/api/mcp/pricing', '/api/mcp/usage', '/api/mcp/entries'];

/** Reads all current prices; custom prices override the lists. */
export function usePrices(): UseQueryResult<readonly PriceShape[]> {
  return useRead('GET /api/mcp/pricing');
}

/** Reads the custom prices of the workspace. */
export function useCustomPrices(): UseQueryResult<readonly UserPriceShape[]> {
  return useRead('GET /api/manage/prices');
}

const CHANGED_BY_CONTRACTS = ['/api/manage/contracts', '/api/mcp/usage', '/api/mcp/entries'];

export function useContracts(): UseQueryResult<readonly ContractShape[]> {
  return useRead('GET /api/manage/contracts');
}

export function useSetContract(): UseMutationResult<ContractShape, Error, NewContractShape> {
  return useChange('POST /api/manage/contracts', (body: NewContractShape) => ({ body }), CHANGED_BY_CONTRACTS);
}

/** Reads which recorded calls a contract would price again. */
export function usePreviewContract(): UseMutationResult<RepricePreview, Error, NewContractShape> {
  return useChange('POST /api/manage/contracts/preview', (body: NewContractShape) => ({ body }), []);
}

/** Reads which recorded calls a custom price would price again. */
export function usePreviewPrice(): UseMutationResult<RepricePreview, Error, NewPrice> {
  return useChange('POST /api/manage/prices/preview', (body: NewPrice) => ({ body }), []);
}

/** Deletes a contract. @param contract as shown: if it has changed since, the request fails */
export function useRemoveContract({ id, etag }: ContractShape): UseMutationResult<unknown, Error, void> {
  const request = () => ({ params: { id }, ifMatch: etag });
  return useChange('DELETE /api/manage/contracts/{id}', request, CHANGED_BY_CONTRACTS);
}

/** Reads the fetched price list that waits. */
export function usePriceUpdate(): UseQueryResult<{ readonly update: PriceUpdateShape | null }> {
  return useRead('GET /api/manage/prices/update');
}

interface UpdateChoice {
  readonly id: string;
  readonly acceptLarge: boolean;
}

export function useApplyPrices(): UseMutationResult<unknown, Error, UpdateChoice> {
  return useChange('POST /api/manage/prices/update', (body: UpdateChoice) => ({ body }), CHANGED_BY_PRICES);
}

/** Reads the models used in the last 30 days and the source of their price. */
export function usePriceCoverage(): UseQueryResult<PriceCoverage> {
  return useRead('GET /api/mcp/pricing/coverage', { changedBy: ['recorded'] });
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
  return useChange('POST /api/manage/prices', (body: NewPrice) => ({ body }), CHANGED_BY_PRICES);
}

/** Deletes a price. @param price as shown: if it has changed since, the request fails */
export function useRemovePrice({ id, etag }: UserPriceShape): UseMutationResult<unknown, Error, void> {
  return useChange('DELETE /api/manage/prices/{id}', () => ({ params: { id }, ifMatch: etag }), CHANGED_BY_PRICES);
}
