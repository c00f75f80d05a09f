import { basename, dirname } from 'node:path';
import { assistantFolders } from '../reading/assistant-folders.ts';
import type { LoggedFacts } from '../reading/logged-calls.ts';
import type { HostEnvironment, SessionFile, SessionSource } from '../reading/source.ts';
import { walkFiles } from '../reading/walk-files.ts';

/** Chats of Qwen Code. */
export const QWEN_CODE: SessionSource<LoggedFacts> = {
  name: 'qwen_code',
  version: 1,
  host: (host) => assistantFolders('qwen_code', host),
  find: async (host) => findQwenChats(host),
  open: async () => (await import('./chat-rows.ts')).CHAT_ROWS,
};

function findQwenChats(host: HostEnvironment): SessionFile[] {
  return assistantFolders('qwen_code', host)
    .flatMap((folder) => walkFiles(folder, (name) => name.endsWith('.jsonl')))
    .filter(({ path }) => basename(dirname(path)) === 'chats')
    .map((file) => Object.assign(file, { sessionId: basename(file.path, '.jsonl') }));
}
