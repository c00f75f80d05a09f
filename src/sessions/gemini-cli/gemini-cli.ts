import { basename, dirname, extname, sep } from 'node:path';
import { assistantFolders } from '../reading/assistant-folders.ts';
import type { LoggedFacts } from '../reading/logged-calls.ts';
import type { HostEnvironment, SessionFile, SessionSource } from '../reading/source.ts';
import { walkFiles } from '../reading/walk-files.ts';

const CHATS = `${sep}chats${sep}`;

/** Chats of Gemini CLI. */
export const GEMINI_CLI: SessionSource<LoggedFacts> = {
  name: 'gemini_cli',
  version: 1,
  host: (host) => assistantFolders('gemini_cli', host),
  find: async (host) => findChats(host),
  open: async () => (await import('./chats.ts')).CHATS,
};

function findChats(host: HostEnvironment): SessionFile[] {
  const isChat = (name: string): boolean => name.endsWith('.jsonl') || name.endsWith('.json');
  return assistantFolders('gemini_cli', host)
    .flatMap((folder) => walkFiles(folder, isChat))
    .filter(({ path }) => path.includes(CHATS))
    .map((file) => Object.assign(file, { sessionId: chatSession(file.path) }));
}

/** Returns the session in a path: `chats/<name>.jsonl`, or `chats/<session>/<sub-agent>.jsonl`. */
function chatSession(path: string): string {
  const folder = basename(dirname(path));
  return folder === 'chats' ? basename(path, extname(path)) : folder;
}
