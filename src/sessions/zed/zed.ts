import { assistantFolders } from '../reading/assistant-folders.ts';
import { toDatabaseFile } from '../reading/database-file.ts';
import type { LoggedFacts } from '../reading/logged-calls.ts';
import type { SessionSource } from '../reading/source.ts';
import { listFiles } from '../reading/walk-files.ts';

/** Threads of Zed's agent. */
export const ZED: SessionSource<LoggedFacts> = {
  name: 'zed',
  version: 1,
  host: (host) => assistantFolders('zed', host),
  find: async (host) =>
    assistantFolders('zed', host).flatMap((folder) =>
      listFiles(folder, (name) => name === 'threads.db').map(toDatabaseFile),
    ),
  open: async () => (await import('./threads.ts')).THREADS,
};
