import { basename, dirname } from 'node:path';
import { assistantFolders } from '../reading/assistant-folders.ts';
import type { SessionSource } from '../reading/source.ts';
import { walkFiles } from '../reading/walk-files.ts';
import type { WireFacts } from './wires.ts';

/** Wires of Kimi Code: the events of each agent. */
export const KIMI_CODE: SessionSource<WireFacts> = {
  name: 'kimi_code',
  version: 1,
  host: (host) => assistantFolders('kimi_code', host),
  find: async (host) =>
    assistantFolders('kimi_code', host)
      .flatMap((folder) => walkFiles(folder, (name) => name === 'wire.jsonl'))
      .map((file) => Object.assign(file, { sessionId: basename(dirname(dirname(dirname(file.path)))) })),
  open: async () => (await import('./wires.ts')).WIRES,
};
