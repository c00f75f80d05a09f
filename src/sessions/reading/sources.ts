import type { LocalSource } from '../../domain/sessions/local-call.ts';
import type { SessionSource } from './source.ts';

/** All sources, loaded on demand. */
export const SOURCES: Readonly<Record<LocalSource, () => Promise<SessionSource<unknown>>>> = {
  claude_code: async () => (await import('../claude-code/claude-code.ts')).CLAUDE_CODE,
  gemini_cli: async () => (await import('../gemini-cli/gemini-cli.ts')).GEMINI_CLI,
  opencode: async () => (await import('../opencode/opencode.ts')).OPENCODE,
  qwen_code: async () => (await import('../qwen-code/qwen-code.ts')).QWEN_CODE,
  pi: async () => (await import('../pi/pi.ts')).PI,
  copilot_cli: async () => (await import('../copilot-cli/copilot-cli.ts')).COPILOT_CLI,
  cline: async () => (await import('../cline/cline.ts')).CLINE,
  kimi_code: async () => (await import('../kimi-code/kimi-code.ts')).KIMI_CODE,
  zed: async () => (await import('../zed/zed.ts')).ZED,
  goose: async () => (await import('../goose/goose.ts')).GOOSE,
  kilo_code: async () => (await import('../kilo-code/kilo-code.ts')).KILO_CODE,
  droid: async () => (await import('../droid/droid.ts')).DROID,
  amp: async () => (await import('../amp/amp.ts')).AMP,
  codex: async () => (await import('../codex/codex.ts')).CODEX,
};
