import { listSessionsTool } from './list-sessions-tool.ts';

export const listCodexSessions = listSessionsTool({
  source: 'codex',
  name: 'svc_list_codex_sessions',
  assistant: 'Codex',
});
