import { localUsageTool } from './local-usage-tool.ts';

export const getLocalCodexUsage = localUsageTool({
  source: 'codex',
  name: 'svc_get_local_codex_usage',
  assistant: 'Codex',
  takesPlan: false,
});
