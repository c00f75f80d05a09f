import { basename } from 'node:path';
import { assistantFolders } from '../reading/assistant-folders.ts';
import type { LoggedFacts } from '../reading/logged-calls.ts';
import type { SessionSource } from '../reading/source.ts';
import { walkFiles } from '../reading/walk-files.ts';
import { SETTINGS } from './settings-file.ts';

/** Sessions of Droid, of Factory's command line and app. */
export const DROID: SessionSource<LoggedFacts> = {
  name: 'droid',
  version: 1,
  host: (host) => assistantFolders('droid', host),
  find: async (host) =>
    assistantFolders('droid', host)
      .flatMap((folder) => walkFiles(folder, (name) => name.endsWith(SETTINGS)))
      .map((file) => Object.assign(file, { sessionId: basename(file.path, SETTINGS) })),
  open: async () => (await import('./session-totals.ts')).SESSION_TOTALS,
};
