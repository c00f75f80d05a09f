import type { UseMutationResult } from '@tanstack/react-query';
import type { NewProviderShape, ProviderShape, ProviderTest } from '../../../../src/contract/providers.ts';
import { useChange } from '../api/use-api.ts';

const CHANGED_BY_PROVIDERS = ['/api/manage/providers', '/api/manage/audit'];

export function useAddProvider(): UseMutationResult<ProviderShape, Error, NewProviderShape> {
  return useChange('POST /api/manage/providers', (body: NewProviderShape) => ({ body }), CHANGED_BY_PROVIDERS);
}

/** Deletes an added provider. @param provider as shown: if it has changed since, the request fails */
export function useRemoveProvider({ id, etag }: ProviderShape): UseMutationResult<{ id: string }, Error, void> {
  return useChange(
    'DELETE /api/manage/providers/{id}',
    () => ({ params: { id }, ifMatch: etag }),
    CHANGED_BY_PROVIDERS,
  );
}

interface TestCall {
  readonly model: string;
  readonly keyId: string | undefined;
}

/** Sends one small call, which is recorded. */
export function useTestProvider(id: string): UseMutationResult<ProviderTest, Error, TestCall> {
  return useChange('POST /api/manage/providers/{id}/test', (body: TestCall) => ({ params: { id }, body }), [
    '/api/mcp/entries',
    '/api/manage/keys',
  ]);
}
