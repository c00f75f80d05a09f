import { localUsageTool } from './local-usage-tool.ts';

export const getLocalUsage = localUsageTool('svc_get_local_usage', null);
