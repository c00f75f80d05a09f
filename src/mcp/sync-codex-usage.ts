import { syncTool } from './sync-tool.ts';

export const syncCodexUsage = syncTool({ source: 'codex', name: 'svc_sync_codex_usage', assistant: 'Codex' });
