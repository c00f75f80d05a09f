import { syncTool } from './sync-tool.ts';

export const syncUsage = syncTool('svc_sync_usage', null);
