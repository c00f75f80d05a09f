import { syncTool } from './sync-tool.ts';

export const syncClaudeCodeUsage = syncTool('svc_sync_claude_code_usage', 'claude_code');
