import type { LocalSource } from '../../domain/sessions/local-call.ts';

/** Settings that change where an assistant's sessions are looked for. */
export const FOLDER_SETTINGS: Readonly<Record<LocalSource, string>> = {
  claude_code: 'CLAUDE_CONFIG_DIR',
  codex: 'CODEX_HOME or SVC_CODEX_SESSIONS_DIR',
};

/** What is said where an assistant left nothing at all: its files may be elsewhere. */
export function noSessionsNotes(source: LocalSource, files: readonly unknown[]): string[] {
  if (files.length > 0) return [];
  return [
    `No session file was found at all. Other folders are named by ${FOLDER_SETTINGS[source]}; "tollbook tools --what-we-read" lists those that are looked into.`,
  ];
}
