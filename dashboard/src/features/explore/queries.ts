import type { UseMutationResult } from '@tanstack/react-query';
import { buildUrl, type RequestQuery, requireFile } from '../../shared/api/request.ts';
import { useSingleFlightMutation } from '../../shared/api/use-api.ts';
import { useWorkspace } from '../../shared/session/session.ts';

const EXPORT_PATH = '/api/manage/export';

/** Has the browser save an export as it comes: it may be larger than the memory of the machine. */
export function useExport(): UseMutationResult<void, Error, RequestQuery> {
  const { id } = useWorkspace();
  return useSingleFlightMutation({
    mutationFn: async (query) => {
      await requireFile({ path: EXPORT_PATH, query, workspaceId: id });
      const link = document.createElement('a');
      link.href = buildUrl(EXPORT_PATH, { ...query, workspace: id });
      // The service names the file.
      link.download = '';
      link.click();
    },
  });
}
