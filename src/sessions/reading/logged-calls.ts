import { type LocalCall, type LocalSource, readSourceModel } from '../../domain/sessions/local-call.ts';
import { cacheWriteClass } from '../../domain/sessions/session-record.ts';
import { NO_TERMS, NO_USES, type TokenCounts } from '../../domain/usage/usage.ts';
import { SOURCE_TITLES } from '../../domain/text/assistants.ts';
import { countNoun } from '../../domain/text/counts.ts';
import type { ParsedFile } from './source.ts';

/** One answered call as a file states it. The four counts do not overlap. */
export interface LoggedCall {
  /** Equal in all copies of the call, and different in other calls of the source. */
  readonly id: string;
  /** null = the file's. */
  readonly session: string | null;
  readonly project: string | null;
  /** Model, named as in `LocalCall`. */
  readonly model: string;
  /** Epoch ms. */
  readonly at: number;
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  /** Inside the output. */
  readonly thinking: number;
  /** The sum of several calls, whose number and prompts are not logged. */
  readonly isTotal?: true;
}

/** Facts of a file whose calls have ids. */
export interface LoggedFacts {
  readonly session: string | null;
  readonly project: string | null;
  /** Epoch ms; null = unknown. */
  readonly startedAt: number | null;
  readonly calls: readonly LoggedCall[];
  /** Rows that may contain usage and could not be read. */
  readonly unreadable: number;
}

export const NO_LOGGED_FACTS: LoggedFacts = { session: null, project: null, startedAt: null, calls: [], unreadable: 0 };

type LoggedFile = ParsedFile<LoggedFacts>;

/** A call with the file that owns it. */
interface OwnedCall {
  readonly file: LoggedFile;
  readonly call: LoggedCall;
}

/**
 * Returns each call of all files once, the oldest first. Of several copies, the file that started first owns the call, the
 * earliest time counts, and the largest counts: an answer is logged while it grows.
 */
export function resolveLoggedCalls(source: LocalSource, files: readonly LoggedFile[]): LocalCall[] {
  const owned = new Map<string, OwnedCall>();
  for (const file of files.toSorted(compareStarts))
    for (const call of file.facts.calls) {
      const first = owned.get(call.id);
      owned.set(
        call.id,
        first === undefined ? { file, call } : { file: first.file, call: mergeCopy(first.call, call) },
      );
    }
  return [...owned.values()].map((one) => toLocalCall(source, one)).toSorted((a, b) => a.at - b.at);
}

/** Returns the session of a file's calls. */
export function loggedSession({ file, facts }: LoggedFile): string {
  return facts.session ?? file.sessionId;
}

/** Returns sentences on what is less certain than it looks. */
export function loggedNotes(source: LocalSource, files: readonly LoggedFile[]): string[] {
  return [...unreadableNotes(source, files), ...totalNotes(source, files)];
}

function totalNotes(source: LocalSource, files: readonly LoggedFile[]): string[] {
  const totals = files.flatMap(({ facts }) => facts.calls.filter(({ isTotal }) => isTotal));
  const count = new Set(totals.map(({ id }) => id)).size;
  if (count === 0) return [];
  return [
    `${SOURCE_TITLES[source]} logs only the sum of some calls: ${countNoun(count, 'sum')}, each counted as 1 call at the price of short prompts.`,
  ];
}

function unreadableNotes(source: LocalSource, files: readonly LoggedFile[]): string[] {
  const count = files.reduce((sum, { facts }) => sum + facts.unreadable, 0);
  if (count === 0) return [];
  const assistant = SOURCE_TITLES[source];
  return [
    count === 1
      ? `${assistant}: 1 record that may contain usage could not be read and is not counted.`
      : `${assistant}: ${countNoun(count, 'record')} that may contain usage could not be read and are not counted.`,
  ];
}

function compareStarts(a: LoggedFile, b: LoggedFile): number {
  const [start, other] = [a.facts.startedAt ?? Infinity, b.facts.startedAt ?? Infinity];
  if (start !== other) return start < other ? -1 : 1;
  return a.file.path < b.file.path ? -1 : Number(a.file.path > b.file.path);
}

function mergeCopy(first: LoggedCall, other: LoggedCall): LoggedCall {
  const larger = sumLoggedTokens(other) > sumLoggedTokens(first) ? other : first;
  return { ...larger, session: first.session, project: first.project, at: Math.min(first.at, other.at) };
}

export function sumLoggedTokens({ input, cacheRead, cacheWrite, output }: LoggedCall): number {
  return input + cacheRead + cacheWrite + output;
}

function toLocalCall(source: LocalSource, { file, call }: OwnedCall): LocalCall {
  const { input, cacheRead, cacheWrite, output, thinking, at, model } = call;
  const tokens: TokenCounts = { input, output };
  if (cacheRead > 0) tokens.cacheRead = cacheRead;
  if (cacheWrite > 0) tokens[cacheWriteClass(readSourceModel(source, model))] = cacheWrite;
  return {
    source,
    sessionId: call.session ?? loggedSession(file),
    project: call.project ?? file.facts.project,
    model,
    at,
    usage: {
      inferences: [{ model: null, tokens, promptTokens: call.isTotal ? null : input + cacheRead + cacheWrite }],
      uses: NO_USES,
      thinking,
      terms: NO_TERMS,
    },
  };
}
