import { LOCAL_SOURCES, type LocalSource } from '../domain/sessions/local-call.ts';
import { SOURCE_TITLES } from '../domain/text/assistants.ts';
import { listSessionFolders } from '../sessions/reports/local-usage.ts';
import type { ToolMachine } from './tool.ts';

/** For people who want to know before they let a program look. */
export async function whatWeRead({ env }: ToolMachine): Promise<string> {
  const folders = new Map(await listSessionFolders(LOCAL_SOURCES, env));
  const list = (source: LocalSource): string =>
    [SOURCE_TITLES[source], ...(folders.get(source) ?? []).map((folder) => `  ${folder}`)].join('\n');
  return `Tollbook looks for session files of coding assistants in

${LOCAL_SOURCES.map(list).join('\n\n')}

Read from them: models, token counts, times, ids of sessions and answers, and
the folder that the assistant worked in. Prompts, answers and code in the same
files are skipped and never stored.

Uploaded only when you run a sync or set SVC_AUTO_SYNC=true: for each session,
model and hour, the token counts and the time of the first call, with hashed ids
of session and project. Code, prompts, file paths and project names never leave
this machine. To see the records without a network request, call
svc_sync_usage with dryRun, or run tollbook sync with --dry-run. Before the first upload, project hashes differ in
each dry run.
SVC_CODEX_AUTO_SYNC=false never uploads Codex sessions.
`;
}
