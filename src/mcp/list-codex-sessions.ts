import { listSessionsTool } from './list-sessions-tool.ts';

export const listCodexSessions = listSessionsTool('svc_list_codex_sessions', 'codex');
