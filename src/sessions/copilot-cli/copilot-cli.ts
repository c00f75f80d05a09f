import { basename, dirname, join } from 'node:path';
import { assistantFolders } from '../reading/assistant-folders.ts';
import { toDatabaseFile } from '../reading/database-file.ts';
import type { LoggedFacts } from '../reading/logged-calls.ts';
import type { HostEnvironment, SessionFile, SessionSource } from '../reading/source.ts';
import { listFiles, walkFiles } from '../reading/walk-files.ts';

/** Sessions of Copilot's command line: a database of all requests, and the events of each session. */
export const COPILOT_CLI: SessionSource<LoggedFacts> = {
  name: 'copilot_cli',
  version: 1,
  host: (host) => assistantFolders('copilot_cli', host),
  find: async (host) => findCopilotSessions(host),
  open: async () => (await import('./requests.ts')).REQUESTS,
};

function findCopilotSessions(host: HostEnvironment): SessionFile[] {
  return assistantFolders('copilot_cli', host).flatMap((folder) => {
    const databases = listFiles(folder, (name) => name === 'session-store.db').map(toDatabaseFile);
    const events = walkFiles(join(folder, 'session-state'), (name) => name === 'events.jsonl');
    return databases.concat(events.map((file) => Object.assign(file, { sessionId: basename(dirname(file.path)) })));
  });
}
