import { localUsageTool } from './local-usage-tool.ts';

export const getLocalClaudeCodeUsage = localUsageTool({
  source: 'claude_code',
  name: 'svc_get_local_claude_code_usage',
  assistant: 'Claude Code',
  takesPlan: true,
});
