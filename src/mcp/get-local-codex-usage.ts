import { localUsageTool } from './local-usage-tool.ts';

export const getLocalCodexUsage = localUsageTool('svc_get_local_codex_usage', 'codex');
