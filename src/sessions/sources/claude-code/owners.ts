import { hasMark, type OneCall, sessionNamed, type ReportedCall } from './calls.ts';
import { compareTexts } from './copies.ts';
import { ASKED, FORKED } from './facts.ts';
import { NEVER, newSession, type Session, type Transcript } from './transcript.ts';

/**
 * The session that each call is listed under: the one that asked, where a copy says so, though its file may be gone. Else
 * copies whose rows name the session they stand in come before others, and copies made at a fork come last. What is left
 * is told apart by age: a fork repeats the beginning of the session that it was made from, and its own rows come later.
 * It all depends on what files say, never on when they changed.
 */
export function ownersOf(calls: readonly OneCall[], transcripts: readonly Transcript[]): Session[] {
  for (const call of calls) noteAges(call);
  const sessions = new Map(transcripts.map(({ session }) => [session.id, session]));
  return calls.map((call) => {
    const { transcript, copies } = call;
    const told = copies === null ? call : copies.find(isAsked);
    if (told !== undefined && isAsked(told)) return askerOf(told, sessions);
    return copies === null ? transcript.session : ownerOf(copies);
  });
}

/** Whether every copy was made at a fork: the file of the session that made the call is gone. */
export function isKnownFromCopies(call: OneCall): boolean {
  return call.copies === null ? isCopy(call) : call.copies.every(isCopy);
}

/** A fork begins with a row of its own, and keeps the time of those that it copies. */
function isCopy(told: ReportedCall): boolean {
  if (hasMark(told, FORKED)) return true;
  const { facts, session } = told.transcript;
  if (isAsked(told) && sessionNamed(told) !== session.id) return true;
  const at = facts.times[told.place] ?? null;
  return at !== null && facts.startedAt !== null && at < facts.startedAt;
}

function isAsked(told: ReportedCall): boolean {
  return hasMark(told, ASKED);
}

function askerOf(told: ReportedCall, sessions: Map<string, Session>): Session {
  const id = sessionNamed(told);
  let session = sessions.get(id);
  if (session === undefined) sessions.set(id, (session = newSession(id)));
  session.project ??= told.transcript.facts.project;
  return session;
}

function ownerOf(copies: readonly ReportedCall[]): Session {
  const best = Math.min(...copies.map(rankOf));
  const sessions = copies.filter((told) => rankOf(told) === best).map(({ transcript }) => transcript.session);
  return sessions.reduce((one, other) => (byAge(other, one) < 0 ? other : one));
}

function rankOf(told: ReportedCall): number {
  if (sessionNamed(told) !== told.transcript.session.id) return 2;
  return hasMark(told, FORKED) ? 1 : 0;
}

function noteAges({ transcript: { session }, copies, at }: OneCall): void {
  const time = at ?? NEVER;
  if (copies === null || copies.every(({ transcript }) => transcript.session === session)) {
    if (time < session.ownAt) session.ownAt = time;
    if (time < session.firstAt) session.firstAt = time;
  } else for (const { transcript } of copies) if (time < transcript.session.firstAt) transcript.session.firstAt = time;
}

/** A session without a call of its own was copied whole: it is the older one. */
function byAge(a: Session, b: Session): number {
  return (
    compareNumbers(a.firstAt, b.firstAt) ||
    compareNumbers(a.startedAt, b.startedAt) ||
    compareNumbers(ownAge(a), ownAge(b)) ||
    compareTexts(a.id, b.id)
  );
}

function ownAge({ ownAt }: Session): number {
  return ownAt === NEVER ? -NEVER : ownAt;
}

/** Not by difference: two infinities have none. */
function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : Number(a > b);
}
