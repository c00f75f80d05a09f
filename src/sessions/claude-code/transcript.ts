import { sep } from 'node:path';
import type { ParsedFile } from '../reading/source.ts';
import type { ClaudeFacts } from './facts.ts';

/** A session with one or more files. */
export interface TranscriptSession {
  readonly id: string;
  /** Folder in which it started. */
  project: string | null;
  /** Epoch ms of the first row of its files; ∞ = none has a time. */
  startedAt: number;
  /** Epoch ms of its first call, set when owners are assigned; ∞ = none. */
  firstAt: number;
  /** Epoch ms of its first call that is in no other session; ∞ = none. */
  ownAt: number;
}

/** A file with its session. */
export interface TranscriptFile {
  readonly path: string;
  readonly facts: ClaudeFacts;
  readonly session: TranscriptSession;
  /** Epoch ms. */
  readonly modifiedAt: number;
}

type ClaudeFile = ParsedFile<ClaudeFacts>;

export const NEVER = Number.POSITIVE_INFINITY;
/** Before version 2.1.2, a subagent's file was next to the session's, and only its rows name the session. */
const OLD_SUBAGENT = 'agent-';
/** Folder of a project's files, named after the working folder with most special characters replaced. */
const FOLDER_NAME = /.*[\\/]projects[\\/]([^\\/]+)[\\/]/;

/** Returns the session of a file. */
export function fileSession({ file, facts }: ClaudeFile): string {
  return file.sessionId.startsWith(OLD_SUBAGENT) ? (facts.session ?? file.sessionId) : file.sessionId;
}

/** Groups files by session. The session's own file comes first, so that its project is the folder in which it started. */
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

/** Returns the name of the project folder, used if no row names the project. */
export function projectFolderName({ path }: TranscriptFile): string | null {
  return FOLDER_NAME.exec(path)?.[1] ?? null;
}
