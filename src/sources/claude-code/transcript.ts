import { basename } from 'node:path';
import type { ParsedFile } from '../source.ts';
import type { ClaudeFacts } from './facts.ts';

/** One file, seen among the others. */
export interface Transcript {
  readonly path: string;
  readonly facts: ClaudeFacts;
  /** The session that it is a part of. */
  readonly sessionId: string;
  /** It is the session's own file, and no subagent's. */
  readonly isMain: boolean;
  /** Epoch ms. */
  readonly modifiedAt: number;
}

/** Before version 2.1.2 a subagent's file lay beside the session's: only its rows tell whose it is. */
const OLD_SUBAGENT = /^agent-/;
/** Of the project's files: the working folder's path with most characters lost. */
const FOLDER_NAME = /.*[\\/]projects[\\/]([^\\/]+)[\\/]/;

export function transcriptOf({ file, facts }: ParsedFile<ClaudeFacts>): Transcript {
  const isNamed = !OLD_SUBAGENT.test(file.sessionId);
  return {
    path: file.path,
    facts,
    sessionId: isNamed ? file.sessionId : (facts.session ?? file.sessionId),
    isMain: isNamed && basename(file.path, '.jsonl') === file.sessionId,
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

/** What is told of the project where no row tells of it. */
export function folderNameOf({ path }: Transcript): string | null {
  return FOLDER_NAME.exec(path)?.[1] ?? null;
}
