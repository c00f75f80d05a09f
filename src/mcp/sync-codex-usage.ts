import { syncTool } from './sync-tool.ts';

export const syncCodexUsage = syncTool('svc_sync_codex_usage', 'codex');
