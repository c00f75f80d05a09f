import { setImmediate } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import type { Records, Workspace } from '../storage/records/records.ts';

interface WorkspaceJobParts {
  readonly records: { readonly workspaces: Pick<Records['workspaces'], 'list'> };
  readonly log: Log;
}

/** One after the other, with turns for others between them. What fails for one is told, and stops no other. */
export async function forEachWorkspace(
  { records, log }: WorkspaceJobParts,
  job: string,
  signal: AbortSignal,
  work: (workspace: Workspace) => Promise<void>,
): Promise<void> {
  for (const workspace of await records.workspaces.list()) {
    if (signal.aborted) return;
    try {
      await work(workspace);
    } catch (error) {
      if (signal.aborted) return;
      log.error({ job, workspaceId: workspace.id, err: error }, 'a job failed for a workspace; it goes on with others');
    }
    await setImmediate();
  }
}
