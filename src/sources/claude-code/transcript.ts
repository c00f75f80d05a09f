import { basename } from 'node:path';
import type { ParsedFile } from '../source.ts';
import type { ClaudeFacts } from './facts.ts';

/** One file, seen among the others. */
export interface Transcript {
  readonly path: string;
  readonly facts: ClaudeFacts;
  /** The session that it is a part of. */
  readonly sessionId: string;
  /** Its name, or that of its folder, is the session's. */
  readonly isNamed: boolean;
  /** It is the session's own file, and no subagent's. */
  readonly isMain: boolean;
  /** Folder of the project's files, which is the working folder's path with most characters lost. */
  readonly folderName: string | null;
  /** Epoch ms. */
  readonly modifiedAt: number;
}

/** Before version 2.1.2 a subagent's file lay beside the session's: only its rows tell whose it is. */
const OLD_SUBAGENT = /^agent-/;

export function transcriptOf({ file, facts }: ParsedFile<ClaudeFacts>): Transcript {
  const isNamed = !OLD_SUBAGENT.test(file.sessionId);
  const folders = file.path.split(/[\\/]/);
  return {
    path: file.path,
    facts,
    sessionId: isNamed ? file.sessionId : (facts.session ?? file.sessionId),
    isNamed,
    isMain: isNamed && basename(file.path, '.jsonl') === file.sessionId,
    folderName: folders[folders.lastIndexOf('projects') + 1] ?? null,
    modifiedAt: file.modifiedAt,
  };
}

/** A session's project is the folder it began in: that of its own file, else of any. */
export function projectsOf(transcripts: readonly Transcript[]): Map<string, string> {
  const projects = new Map<string, string>();
  const ordered = transcripts.toSorted((a, b) => Number(b.isMain) - Number(a.isMain) || (a.path < b.path ? -1 : 1));
  for (const { sessionId, facts } of ordered)
    if (facts.project !== null && !projects.has(sessionId)) projects.set(sessionId, facts.project);
  return projects;
}
