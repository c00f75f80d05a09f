import { sep } from 'node:path';
import type { ParsedFile } from '../reading/source.ts';
import type { ClaudeFacts } from './facts.ts';

/** One session, of one file or several. */
export interface TranscriptSession {
  readonly id: string;
  /** The folder it began in. */
  project: string | null;
  /** Epoch ms of the first row of its files; ∞ = none has a time. */
  startedAt: number;
  /** Epoch ms of its first call, once it is known whose calls there are; ∞ = it has none. */
  firstAt: number;
  /** Epoch ms of its first call that stands in no other session; ∞ = it has none. */
  ownAt: number;
}

/** One file, seen among the others. */
export interface TranscriptFile {
  readonly path: string;
  readonly facts: ClaudeFacts;
  readonly session: TranscriptSession;
  /** Epoch ms. */
  readonly modifiedAt: number;
}

type ClaudeFile = ParsedFile<ClaudeFacts>;

export const NEVER = Number.POSITIVE_INFINITY;
/** Before version 2.1.2 a subagent's file lay beside the session's: only its rows tell whose it is. */
const OLD_SUBAGENT = 'agent-';
/** Of the project's files: the working folder's path with most characters lost. */
const FOLDER_NAME = /.*[\\/]projects[\\/]([^\\/]+)[\\/]/;

/** The session that a file is a part of. */
export function fileSession({ file, facts }: ClaudeFile): string {
  return file.sessionId.startsWith(OLD_SUBAGENT) ? (facts.session ?? file.sessionId) : file.sessionId;
}

/** A session's own file comes before its subagents', so that its project is the folder which it began in. */
export function buildTranscripts(files: readonly ClaudeFile[]): TranscriptFile[] {
  const sessions = new Map<string, TranscriptSession>();
  return [...files.filter(isMain), ...files.filter((file) => !isMain(file)).toSorted(byPath)].map((one) => {
    const { file, facts } = one;
    const id = fileSession(one);
    let session = sessions.get(id);
    if (session === undefined) sessions.set(id, (session = newSession(id)));
    session.project ??= facts.project;
    session.startedAt = Math.min(session.startedAt, facts.startedAt ?? NEVER);
    return { path: file.path, facts, session, modifiedAt: file.modifiedAt };
  });
}

export function newSession(id: string): TranscriptSession {
  return { id, project: null, startedAt: NEVER, firstAt: NEVER, ownAt: NEVER };
}

function isMain({ file }: ClaudeFile): boolean {
  return file.path.endsWith(`${sep}${file.sessionId}.jsonl`);
}

function byPath(a: ClaudeFile, b: ClaudeFile): number {
  return a.file.path < b.file.path ? -1 : 1;
}

/** What is told of the project where no row tells of it. */
export function projectFolderName({ path }: TranscriptFile): string | null {
  return FOLDER_NAME.exec(path)?.[1] ?? null;
}
