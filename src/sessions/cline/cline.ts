import { basename } from 'node:path';
import { assistantFolders } from '../reading/assistant-folders.ts';
import type { LoggedFacts } from '../reading/logged-calls.ts';
import type { SessionSource } from '../reading/source.ts';
import { walkFiles } from '../reading/walk-files.ts';

const MESSAGES = '.messages.json';

/** Sessions of Cline since version 3 of its command line. */
export const CLINE: SessionSource<LoggedFacts> = {
  name: 'cline',
  version: 1,
  host: (host) => assistantFolders('cline', host),
  find: async (host) =>
    assistantFolders('cline', host)
      .flatMap((folder) => walkFiles(folder, (name) => name.endsWith(MESSAGES)))
      .map((file) => Object.assign(file, { sessionId: basename(file.path, MESSAGES) })),
  open: async () => (await import('./session-messages.ts')).SESSION_MESSAGES,
};
