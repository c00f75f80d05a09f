import { assistantFolders } from '../reading/assistant-folders.ts';
import type { LoggedFacts } from '../reading/logged-calls.ts';
import { findOpenCodeMessages, openCodeReader } from '../reading/opencode-messages.ts';
import type { SessionSource } from '../reading/source.ts';

/** One for each release channel: `opencode.db`, `opencode-dev.db`. */
const DATABASE = /^opencode(-[\w.-]+)?\.db$/;

/** Messages of OpenCode: in its database, and in the files of older versions. */
export const OPENCODE: SessionSource<LoggedFacts> = {
  name: 'opencode',
  version: 1,
  host: (host) => assistantFolders('opencode', host),
  find: async (host) => findOpenCodeMessages(assistantFolders('opencode', host), DATABASE),
  open: async () => openCodeReader('opencode'),
};
