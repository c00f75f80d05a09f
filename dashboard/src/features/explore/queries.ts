import type { UseMutationResult } from '@tanstack/react-query';
import { buildUrl, type RequestQuery, requireFile } from '../../shared/api/request.ts';
import { useSingleFlightMutation } from '../../shared/api/use-api.ts';
import { useWorkspace } from '../../shared/session/session.ts';

const EXPORT_PATH = '/api/manage/export';

/** Lets the browser stream an export to a file: it may be larger than memory. */
export function useExport(): UseMutationResult<void, Error, RequestQuery> {
  const { id } = useWorkspace();
  return useSingleFlightMutation({
    mutationFn: async (query) => {
      await requireFile({ path: EXPORT_PATH, query, workspaceId: id });
      const link = document.createElement('a');
      link.href = buildUrl(EXPORT_PATH, { ...query, workspace: id });
      // The service sets the file name.
      link.download = '';
      link.click();
    },
  });
}
