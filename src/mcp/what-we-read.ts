import { LOCAL_SOURCES, type LocalSource } from '../domain/sessions/local-call.ts';
import { listSessionFolders } from '../sessions/reports/local-usage.ts';
import type { ToolMachine } from './tool.ts';

/** For people who want to know before they let a program look. */
export async function whatWeRead({ env }: ToolMachine): Promise<string> {
  const folders = new Map(await listSessionFolders(LOCAL_SOURCES, env));
  const list = (source: LocalSource): string => (folders.get(source) ?? []).map((folder) => `  ${folder}`).join('\n');
  return `Session files of coding assistants are looked for in

Claude Code
${list('claude_code')}

Codex
${list('codex')}

Read from them: models, token counts, times, ids of sessions and answers, and
the folder that the assistant worked in. Prompts, answers and code in the same
files are passed over and kept nowhere.

Uploaded, and only when you ask for a sync or set SVC_AUTO_SYNC=true: for each
session, model and hour its token counts and the time of the first call in it,
with the ids of session and project hashed. Code, prompts, file paths and
project names never leave this machine. svc_sync_claude_code_usage and
svc_sync_codex_usage with dryRun, or tollbook sync with --dry-run, show the
records without a network request; before the first upload, each dry run hashes
projects anew.
SVC_CODEX_AUTO_SYNC=false keeps sessions of Codex from ever being uploaded.
`;
}
