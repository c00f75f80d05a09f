import { localUsageTool } from './local-usage-tool.ts';

export const getLocalClaudeCodeUsage = localUsageTool('svc_get_local_claude_code_usage', 'claude_code');
