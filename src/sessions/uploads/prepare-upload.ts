import { createHmac, hash } from 'node:crypto';
import { type LocalCall, type LocalSource, NAMES_SESSION, sessionText } from '../../domain/sessions/local-call.ts';
import { SOURCE_TITLES } from '../../domain/text/assistants.ts';
import { addWhole, type WholeAmount } from '../../domain/money/money.ts';
import { buildSessionRecords } from '../../domain/sessions/session-records.ts';
import { isRecordTime, type SessionRecord } from '../../domain/sessions/session-record.ts';
import type { ReadProgress } from '../reading/thread-pool.ts';
import { fitsRequest, groupRecords } from './batches.ts';
import {
  type EnvVariables,
  hostEnvironment,
  loadLocalUses,
  type LocalUses,
  noSessionsNotes,
  recentSessions,
} from '../reports/local-usage.ts';
import { findSourceCard } from '../reports/model-use.ts';
import { projectSecret } from './project-secret.ts';
import { fingerprintCall, readUploadedCalls, type UploadService, type UploadedSessions } from './uploaded-calls.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';

/** Spans of a record. Longer ones are used if the hours of a session do not fit into one request. */
const SPANS_MS = [HOUR_MS, DAY_MS, 30 * DAY_MS];

export interface PrepareOptions {
  readonly source: LocalSource;
  readonly env: EnvVariables;
  /** Version of this program. */
  readonly version: string;
  /** Includes whole sessions that were modified within this many hours before `now` (epoch ms). */
  readonly maxAgeHours: number;
  readonly now: number;
  /** Service to upload to; null = unknown, so earlier uploads are unknown too. */
  readonly service: UploadService | null;
  /** Uploads and writes nothing. */
  readonly dryRun: boolean;
  readonly onProgress?: ((done: ReadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Everything that would leave this machine (`records`), and details for its user only. */
export interface PreparedUpload {
  readonly source: LocalSource;
  readonly records: readonly SessionRecord[];
  readonly sessions: number;
  readonly calls: number;
  /** nano-USD at list prices, excluding calls without a price. */
  readonly cost: WholeAmount;
  readonly unpricedCalls: number;
  /** False = the assistant has no session files. */
  readonly isFound: boolean;
  /** Paths of the files of these sessions, which are never uploaded. */
  readonly files: readonly string[];
  readonly warnings: readonly string[];
  /** Calls of these sessions that the service has after the upload. */
  readonly uploads: UploadedSessions;
}

/** Reads session files and builds records, without network access. */
export async function prepareUpload(options: PrepareOptions): Promise<PreparedUpload> {
  const { source, env, version, maxAgeHours, now, onProgress, signal } = options;
  const loaded = await loadLocalUses({ sources: [source], env, version, onProgress, signal });
  const recent = recentSessions(loaded, now - maxAgeHours * HOUR_MS);
  const found = loaded.calls.filter(({ sessionId }) => recent.has(sessionId));
  const dated = found.filter(({ at }) => isRecordTime(at, now));
  const sessionIdOf = memoize((id: string) => hash('sha256', sessionText(source, id)));
  const present = new Set(loaded.files.map(({ sessionId }) => sessionId));
  const whyLeftOut = uploadedBefore(options, dated, present, sessionIdOf);
  const { upload: calls = [], known = [], late = [] } = Object.groupBy(dated, (call) => whyLeftOut(call) ?? 'upload');
  const own = new Set(calls);
  const uses = loaded.uses.filter(({ call }) => own.has(call));
  return {
    source,
    records: buildRecords(calls, loaded, sessionIdOf, projectSecret(hostEnvironment(env), { keep: !options.dryRun })),
    sessions: new Set(calls.map(({ sessionId }) => sessionId)).size,
    calls: calls.length,
    cost: uses.reduce<WholeAmount>((sum, { cost }) => addWhole(sum, cost ?? 0), 0),
    unpricedCalls: uses.filter(({ cost, calls: ofCall }) => cost === null && ofCall === 1).length,
    isFound: loaded.files.length > 0,
    files: loaded.files.filter(({ sessionId }) => recent.has(sessionId)).map(({ path }) => path),
    warnings: [
      ...loaded.warnings,
      ...undatedWarning(found.length - dated.length),
      ...inheritedWarning(known.length),
      ...lateWarning(late.length),
      ...noSessionsNotes(source, loaded.files),
      ...(calls.length > 0 ? unnamedSessionNotes(source) : []),
    ],
    uploads: listUploadedCalls(calls, sessionIdOf),
  };
}

/** Why a call is not uploaded: the service has it, or has more of its deleted session and would lose that. */
type LeftOut = 'known' | 'late';

/**
 * Returns a function that says why a call is left out; null = upload it. The service may have it under another session that is
 * not uploaded now because its file is deleted or old. A deleted session keeps what the service has if that is more
 * than its copies. Only copied calls of Codex are checked, because Codex copies are known. `present`: sessions with a file.
 */
function uploadedBefore(
  { source, env, service }: PrepareOptions,
  calls: readonly LocalCall[],
  present: ReadonlySet<string>,
  sessionIdOf: (id: string) => string,
): (call: LocalCall) => LeftOut | null {
  const uploaded = service === null ? null : readUploadedCalls({ host: hostEnvironment(env), source }, service);
  if (uploaded === null || uploaded.size === 0) return () => null;
  const deleted = calls.filter(({ sessionId }) => !present.has(sessionId));
  const withMore = deleted.length === 0 ? new Set<string>() : sessionsWithMore(uploaded, deleted);
  const replaced = new Set(calls.map(({ sessionId, model }) => `${sessionIdOf(sessionId)} ${model}`));
  return (call) => {
    if (source === 'codex' && !call.copied) return null;
    const own = sessionIdOf(call.sessionId);
    const session = uploaded.get(fingerprintCall(call));
    if (!present.has(call.sessionId) && withMore.has(own)) return session === undefined ? 'late' : 'known';
    return session === undefined || session === own || replaced.has(`${session} ${call.model}`) ? null : 'known';
  };
}

/** Returns the hashed ids of uploaded sessions with calls that are not among these. */
function sessionsWithMore(uploaded: ReadonlyMap<string, string>, calls: readonly LocalCall[]): Set<string> {
  const found = new Set(calls.map(fingerprintCall));
  return new Set(Array.from(uploaded).flatMap(([mark, session]) => (found.has(mark) ? [] : [session])));
}

function listUploadedCalls(calls: readonly LocalCall[], sessionIdOf: (id: string) => string): UploadedSessions {
  const sessions = Map.groupBy(calls, ({ sessionId }) => sessionIdOf(sessionId));
  return new Map(Array.from(sessions, ([session, own]) => [session, own.map(fingerprintCall)]));
}

function inheritedWarning(calls: number): string[] {
  if (calls === 0) return [];
  return [`Calls already uploaded under the session from which they were copied: ${calls}.`];
}

function lateWarning(calls: number): string[] {
  if (calls === 0) return [];
  return [`Calls not uploaded, because their session was deleted and uploaded before with other calls: ${calls}.`];
}

/** Warns if the gateway cannot match the calls of an assistant with its files. */
function unnamedSessionNotes(source: LocalSource): string[] {
  if (NAMES_SESSION[source]) return [];
  const title = SOURCE_TITLES[source];
  const remedy = source === 'gemini_cli' ? ' unless it also sends telemetry' : '';
  return [`${title} does not send its session id: calls that it also made through the gateway count twice${remedy}.`];
}

/** Warns about calls with impossible times. A service refuses such records, and the whole request. */
function undatedWarning(calls: number): string[] {
  if (calls === 0) return [];
  return [`Calls not uploaded because of a wrong clock (in the future or before 2023): ${calls}.`];
}

function buildRecords(
  calls: readonly LocalCall[],
  { cardOf }: LocalUses,
  sessionIdOf: (id: string) => string,
  secret: string,
): SessionRecord[] {
  const projectIdOf = memoize((project: string) => createHmac('sha256', secret).update(project).digest('hex'));
  const sessionId = (call: LocalCall): string => sessionIdOf(call.sessionId);
  const projectId = ({ project }: LocalCall): string => projectIdOf(project ?? '');
  const cardFor = ({ source, at }: LocalCall, model: string) => findSourceCard(cardOf, source, model, at);
  const records: SessionRecord[] = [];
  let left = calls;
  for (const spanMs of SPANS_MS) {
    const groups = groupRecords(buildSessionRecords(left, { sessionId, projectId, cardOf: cardFor, spanMs }));
    const large = new Set(groups.flatMap((group) => (fitsRequest(group) ? [] : (group[0]?.sessionId ?? []))));
    const isLast = spanMs === SPANS_MS.at(-1);
    for (const group of groups) if (isLast || !large.has(group[0]?.sessionId ?? '')) records.push(...group);
    left = left.filter((call) => large.has(sessionId(call)));
  }
  return records;
}

function memoize(make: (text: string) => string): (text: string) => string {
  const made = new Map<string, string>();
  return (text) => {
    const known = made.get(text) ?? make(text);
    made.set(text, known);
    return known;
  };
}
