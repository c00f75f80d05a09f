import { listSessionsTool } from './list-sessions-tool.ts';

export const listClaudeCodeSessions = listSessionsTool({
  source: 'claude_code',
  name: 'svc_list_claude_code_sessions',
  assistant: 'Claude Code',
});
