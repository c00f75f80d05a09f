import type { SessionSource } from '../reading/source.ts';
import type { CodexFacts } from './facts.ts';
import { codexHomes, codexSessionFolders, findRollouts } from './find-rollouts.ts';

/** Rollouts of Codex: the command line, the desktop app, editor extensions, and other programs that write them. */
export const CODEX: SessionSource<CodexFacts> = {
  name: 'codex',
  version: 3,
  host: (host) => codexHomes(host).flatMap((home) => codexSessionFolders(home, host.platform)),
  find: async (host) => findRollouts(host),
  open: async () => (await import('./rollouts.ts')).ROLLOUTS,
};
