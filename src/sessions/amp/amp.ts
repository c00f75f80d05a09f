import { basename } from 'node:path';
import { assistantFolders } from '../reading/assistant-folders.ts';
import type { LoggedFacts } from '../reading/logged-calls.ts';
import type { SessionSource } from '../reading/source.ts';
import { walkFiles } from '../reading/walk-files.ts';

const THREAD = /^T-.+\.json$/;

/** Threads of Amp, of its command line and editors. */
export const AMP: SessionSource<LoggedFacts> = {
  name: 'amp',
  version: 1,
  host: (host) => assistantFolders('amp', host),
  find: async (host) =>
    assistantFolders('amp', host)
      .flatMap((folder) => walkFiles(folder, (name) => THREAD.test(name)))
      .map((file) => Object.assign(file, { sessionId: basename(file.path, '.json') })),
  open: async () => (await import('./thread-messages.ts')).THREAD_MESSAGES,
};
