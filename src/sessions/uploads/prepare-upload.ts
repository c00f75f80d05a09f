import { createHmac, hash } from 'node:crypto';
import { type LocalCall, type LocalSource, PROVIDER_OF_SOURCE, sessionText } from '../../domain/sessions/local-call.ts';
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
import { projectSecret } from './project-secret.ts';
import { fingerprintCall, readUploadedCalls, type UploadService, type UploadedSessions } from './uploaded-calls.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';

/** All records of a session and model go in one request: where hours are too many, days and months stand for them. */
const SPANS_MS = [HOUR_MS, DAY_MS, 30 * DAY_MS];

export interface PrepareOptions {
  readonly source: LocalSource;
  readonly env: EnvVariables;
  /** Of this program. */
  readonly version: string;
  /** Sessions that were modified within so many hours before `now` (epoch ms), each one whole. */
  readonly maxAgeHours: number;
  readonly now: number;
  /** Where it goes to; null = that is not known, so that nothing is known of earlier uploads either. */
  readonly service: UploadService | null;
  /** Nothing will be uploaded, and nothing is written. */
  readonly dryRun: boolean;
  readonly onProgress?: ((done: ReadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** All that would leave this machine (`records`), and what only its user sees. */
export interface PreparedUpload {
  readonly source: LocalSource;
  readonly records: readonly SessionRecord[];
  readonly sessions: number;
  readonly calls: number;
  /** nano-USD at list prices, without calls that have no price. */
  readonly cost: WholeAmount;
  readonly unpricedCalls: number;
  /** Paths of the files of these sessions; they are never uploaded. */
  readonly files: readonly string[];
  readonly warnings: readonly string[];
  /** What the service has of these sessions when the records are uploaded. */
  readonly uploads: UploadedSessions;
}

/** Reads session files and makes records of them. Asks nobody. */
export async function prepareUpload(options: PrepareOptions): Promise<PreparedUpload> {
  const { source, env, version, maxAgeHours, now, onProgress, signal } = options;
  const loaded = await loadLocalUses({ sources: [source], env, version, onProgress, signal });
  const recent = recentSessions(loaded, now - maxAgeHours * HOUR_MS);
  const found = loaded.calls.filter(({ sessionId }) => recent.has(sessionId));
  const dated = found.filter(({ at }) => isRecordTime(at, now));
  const sessionIdOf = memoize((id: string) => hash('sha256', sessionText(source, id)));
  const isAnothers = uploadedElsewhere(options, dated, sessionIdOf);
  const calls = dated.filter((call) => !isAnothers(call));
  const own = new Set(calls);
  const uses = loaded.uses.filter(({ call }) => own.has(call));
  return {
    source,
    records: buildRecords(calls, loaded, sessionIdOf, projectSecret(hostEnvironment(env), { keep: !options.dryRun })),
    sessions: new Set(calls.map(({ sessionId }) => sessionId)).size,
    calls: calls.length,
    cost: uses.reduce<WholeAmount>((sum, { cost }) => addWhole(sum, cost ?? 0), 0),
    unpricedCalls: uses.filter(({ cost, calls: ofCall }) => cost === null && ofCall === 1).length,
    files: loaded.files.filter(({ sessionId }) => recent.has(sessionId)).map(({ path }) => path),
    warnings: [
      ...loaded.warnings,
      ...undatedWarning(found.length - dated.length),
      ...inheritedWarning(dated.length - calls.length),
      ...noSessionsNotes(source, loaded.files),
    ],
    uploads: listUploadedCalls(calls, sessionIdOf),
  };
}

/**
 * Whether a call was uploaded as another session's. If that one is not uploaded again now, since its file is gone or old,
 * this session has a copy of a call that the service has. Which calls of Codex are copies is known.
 */
function uploadedElsewhere(
  { source, env, service }: PrepareOptions,
  calls: readonly LocalCall[],
  sessionIdOf: (id: string) => string,
): (call: LocalCall) => boolean {
  const uploaded = service === null ? null : readUploadedCalls({ places: hostEnvironment(env), source }, service);
  if (uploaded === null || uploaded.size === 0) return () => false;
  const replaced = new Set(calls.map(({ sessionId, model }) => `${sessionIdOf(sessionId)} ${model}`));
  return (call) => {
    if (source === 'codex' && !call.copied) return false;
    const session = uploaded.get(fingerprintCall(call)) ?? sessionIdOf(call.sessionId);
    return session !== sessionIdOf(call.sessionId) && !replaced.has(`${session} ${call.model}`);
  };
}

function listUploadedCalls(calls: readonly LocalCall[], sessionIdOf: (id: string) => string): UploadedSessions {
  const sessions = Map.groupBy(calls, ({ sessionId }) => sessionIdOf(sessionId));
  return new Map(Array.from(sessions, ([session, own]) => [session, own.map(fingerprintCall)]));
}

function inheritedWarning(calls: number): string[] {
  if (calls === 0) return [];
  return [`Calls that were uploaded before, as those of the sessions that these were copied from: ${calls}.`];
}

/** A service refuses such records, and all that come with them. */
function undatedWarning(calls: number): string[] {
  if (calls === 0) return [];
  return [`Calls with a time in the future or before 2023 are not uploaded, since a clock was wrong: ${calls}.`];
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
  const cardFor = ({ source, at }: LocalCall, model: string) => cardOf(PROVIDER_OF_SOURCE[source], model, at);
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
