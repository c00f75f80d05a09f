import type { UseMutationResult } from '@tanstack/react-query';
import { addressOf, type Query, requireAnswer } from '../../shared/api/request.ts';
import { useDeed } from '../../shared/api/use-deed.ts';
import { useWorkspace } from '../../shared/session/session.ts';

const PATH = '/api/manage/export';

/** Has the browser save an export, once it is sure that there is one: an error is shown, and not saved as a file. */
export function useExport(): UseMutationResult<void, Error, Query> {
  const { id } = useWorkspace();
  return useDeed({
    mutationFn: async (query) => {
      await requireAnswer({ path: PATH, query, workspaceId: id });
      const link = document.createElement('a');
      link.href = addressOf(PATH, { ...query, workspace: id });
      link.download = '';
      link.click();
    },
  });
}
