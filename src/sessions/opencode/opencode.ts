import { basename, dirname, join } from 'node:path';
import { assistantFolders } from '../reading/assistant-folders.ts';
import { toDatabaseFile } from '../reading/database-file.ts';
import type { LoggedFacts } from '../reading/logged-calls.ts';
import type { HostEnvironment, SessionFile, SessionSource } from '../reading/source.ts';
import { listFiles, walkFiles } from '../reading/walk-files.ts';

/** One for each release channel: `opencode.db`, `opencode-dev.db`. */
const DATABASE = /^opencode(-[\w.-]+)?\.db$/;

/** Messages of OpenCode: in its database, and in the files of older versions. */
export const OPENCODE: SessionSource<LoggedFacts> = {
  name: 'opencode',
  version: 1,
  host: (host) => assistantFolders('opencode', host),
  find: async (host) => findMessages(host),
  open: async () => (await import('./messages.ts')).MESSAGES,
};

function findMessages(host: HostEnvironment): SessionFile[] {
  return assistantFolders('opencode', host).flatMap((folder) => {
    const databases = listFiles(folder, (name) => DATABASE.test(name)).map(toDatabaseFile);
    const messages = walkFiles(join(folder, 'storage', 'message'), (name) => name.endsWith('.json'));
    return databases.concat(messages.map((file) => Object.assign(file, { sessionId: basename(dirname(file.path)) })));
  });
}
