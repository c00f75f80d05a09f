import { listSessionsTool } from './list-sessions-tool.ts';

export const listClaudeCodeSessions = listSessionsTool('svc_list_claude_code_sessions', 'claude_code');
