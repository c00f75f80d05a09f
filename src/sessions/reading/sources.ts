import type { LocalSource } from '../../domain/sessions/local-call.ts';
import type { SessionSource } from './source.ts';

/** Every source, loaded when it is asked for. */
export const SOURCES: Readonly<Record<LocalSource, () => Promise<SessionSource<unknown>>>> = {
  claude_code: async () => (await import('../claude-code/claude-code.ts')).CLAUDE_CODE,
  codex: async () => (await import('../codex/codex.ts')).CODEX,
};
