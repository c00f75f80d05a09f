import { assistantFolders } from '../reading/assistant-folders.ts';
import { toDatabaseFile } from '../reading/database-file.ts';
import type { LoggedFacts } from '../reading/logged-calls.ts';
import type { SessionSource } from '../reading/source.ts';
import { listFiles } from '../reading/walk-files.ts';

/** Requests of Goose, of its command line and its app. */
export const GOOSE: SessionSource<LoggedFacts> = {
  name: 'goose',
  version: 1,
  host: (host) => assistantFolders('goose', host),
  find: async (host) =>
    assistantFolders('goose', host).flatMap((folder) =>
      listFiles(folder, (name) => name === 'sessions.db').map(toDatabaseFile),
    ),
  open: async () => (await import('./usage-ledger.ts')).USAGE_LEDGER,
};
