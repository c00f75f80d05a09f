import type { UseMutationResult } from '@tanstack/react-query';
import { type Query, requestFile } from '../../shared/api/request.ts';
import { useDeed } from '../../shared/api/use-deed.ts';
import { useWorkspace } from '../../shared/session/session.ts';

const PATH = '/api/manage/export';
/** Until the browser has surely begun to save what it was given. */
const SAVE_MS = 60_000;

/** Has the browser save an export, once it is there whole: an error is shown, and neither it nor half a file is saved. */
export function useExport(): UseMutationResult<void, Error, Query> {
  const { id } = useWorkspace();
  return useDeed({
    mutationFn: async (query) => {
      const { name, content } = await requestFile({ path: PATH, query, workspaceId: id });
      const link = document.createElement('a');
      link.href = URL.createObjectURL(content);
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), SAVE_MS);
    },
  });
}
