import type { SessionSource } from '../reading/source.ts';
import type { ClaudeFacts } from './facts.ts';
import { claudeFolders, findTranscripts } from './find-transcripts.ts';

/** Transcripts of Claude Code: the command line, its subagents, and the desktop app. */
export const CLAUDE_CODE: SessionSource<ClaudeFacts> = {
  name: 'claude_code',
  version: 5,
  host(host) {
    const { projects, desktop } = claudeFolders(host);
    return [...projects, ...desktop];
  },
  find: async (host) => findTranscripts(host),
  open: async () => (await import('./transcripts.ts')).TRANSCRIPTS,
};
