import type { LocalSource } from '../sessions/local-call.ts';

/** Display names of the assistants whose session files are read. */
export const SOURCE_TITLES: Readonly<Record<LocalSource, string>> = {
  claude_code: 'Claude Code',
  codex: 'Codex',
  gemini_cli: 'Gemini CLI',
  opencode: 'OpenCode',
  qwen_code: 'Qwen Code',
  pi: 'Pi',
  copilot_cli: 'Copilot CLI',
  cline: 'Cline',
  kimi_code: 'Kimi Code',
  zed: 'Zed',
  goose: 'Goose',
  kilo_code: 'Kilo Code',
  droid: 'Droid',
  amp: 'Amp',
};
