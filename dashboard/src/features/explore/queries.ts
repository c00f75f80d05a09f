import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { RouteRequest } from '../../../../src/contract/routes.ts';
import { buildPath, buildUrl, requireFile } from '../../shared/api/request.ts';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import type { SavedViewShape } from '../../../../src/contract/saved-views.ts';
import { useChange, useRead, useSingleFlightMutation } from '../../shared/api/use-api.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import { useStep } from '../../shared/time/period.ts';
import { useSeries } from '../../shared/usage/queries.ts';
import type { ExploreAddress } from './explore-address.ts';

/** Reads usage over time as the chart shows it. */
export function useExploreSeries({
  filter,
  dimension,
  compare,
  top,
}: Pick<ExploreAddress, 'filter' | 'dimension' | 'compare' | 'top'>): UseQueryResult<UsageSeries> {
  const step = useStep(filter);
  return useSeries({ filter, dimension, step, compare, limit: Number(top) });
}

const EXPORT_ROUTE = 'GET /api/manage/export';

type ExportQuery = NonNullable<RouteRequest<typeof EXPORT_ROUTE>['query']>;

/** Lets the browser stream an export to a file: it may be larger than memory. */
export function useExport(): UseMutationResult<void, Error, ExportQuery> {
  const { id } = useWorkspace();
  return useSingleFlightMutation({
    mutationFn: async (query: ExportQuery) => {
      await requireFile({ route: EXPORT_ROUTE, query, workspaceId: id });
      const link = document.createElement('a');
      link.href = buildUrl(buildPath(EXPORT_ROUTE, {}), { ...query, workspace: id });
      // The service sets the file name.
      link.download = '';
      link.click();
    },
  });
}

const CHANGED_BY_VIEWS = ['/api/manage/views'];

export function useSavedViews(): UseQueryResult<readonly SavedViewShape[]> {
  return useRead('GET /api/manage/views');
}

/** Saves a view by its name. */
export function useSaveView(): UseMutationResult<
  SavedViewShape,
  Error,
  { readonly name: string; readonly address: string }
> {
  return useChange(
    'POST /api/manage/views',
    (body: { readonly name: string; readonly address: string }) => ({ body }),
    CHANGED_BY_VIEWS,
  );
}

export function useRemoveView({ id, etag }: SavedViewShape): UseMutationResult<unknown, Error, void> {
  return useChange('DELETE /api/manage/views/{id}', () => ({ params: { id }, ifMatch: etag }), CHANGED_BY_VIEWS);
}
