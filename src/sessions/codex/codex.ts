import type { SessionSource } from '../reading/source.ts';
import type { CodexFacts } from './facts.ts';
import { codexHomes, codexSessionFolders, findRollouts } from './find-rollouts.ts';

/** Rollouts of Codex: the command line, the desktop app, editor extensions, and other programs that write them. */
export const CODEX: SessionSource<CodexFacts> = {
  name: 'codex',
  version: 2,
  folders: (places) => codexHomes(places).flatMap((home) => codexSessionFolders(home, places.platform)),
  find: async (places) => findRollouts(places),
  open: async () => (await import('./rollouts.ts')).ROLLOUTS,
};
