import { basename } from 'node:path';
import { assistantFolders } from '../reading/assistant-folders.ts';
import type { LoggedFacts } from '../reading/logged-calls.ts';
import type { SessionSource } from '../reading/source.ts';
import { walkFiles } from '../reading/walk-files.ts';

/** Sessions of Pi. */
export const PI: SessionSource<LoggedFacts> = {
  name: 'pi',
  version: 1,
  host: (host) => assistantFolders('pi', host),
  find: async (host) =>
    assistantFolders('pi', host)
      .flatMap((folder) => walkFiles(folder, (name) => name.endsWith('.jsonl')))
      .map((file) => Object.assign(file, { sessionId: basename(file.path, '.jsonl') })),
  open: async () => (await import('./session-entries.ts')).SESSION_ENTRIES,
};
