import type { UseMutationResult } from '@tanstack/react-query';
import type { RouteRequest } from '../../../../src/contract/routes.ts';
import { buildPath, buildUrl, requireFile } from '../../shared/api/request.ts';
import { useSingleFlightMutation } from '../../shared/api/use-api.ts';
import { useWorkspace } from '../../shared/session/session.ts';

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
