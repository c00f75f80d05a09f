import { syncTool } from './sync-tool.ts';

export const syncClaudeCodeUsage = syncTool({
  source: 'claude_code',
  name: 'svc_sync_claude_code_usage',
  assistant: 'Claude Code',
});
