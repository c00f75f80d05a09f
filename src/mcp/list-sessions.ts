import { listSessionsTool } from './list-sessions-tool.ts';

export const listSessions = listSessionsTool('svc_list_sessions', null);
