import { assistantFolders } from '../reading/assistant-folders.ts';
import type { LoggedFacts } from '../reading/logged-calls.ts';
import { findOpenCodeMessages, openCodeReader } from '../reading/opencode-messages.ts';
import type { SessionSource } from '../reading/source.ts';

const DATABASE = /^kilo(-[\w.-]+)?\.db$/;

/** Messages of Kilo Code's command line and new editor extensions, in the format of OpenCode. */
export const KILO_CODE: SessionSource<LoggedFacts> = {
  name: 'kilo_code',
  version: 1,
  host: (host) => assistantFolders('kilo_code', host),
  find: async (host) => findOpenCodeMessages(assistantFolders('kilo_code', host), DATABASE),
  open: async () => openCodeReader('kilo_code'),
};
