import { hasCopyMark, type MergedCall, namedSession, type CallCopy } from './merge-copies.ts';
import { ASKED, compareTexts, FORKED } from './facts.ts';
import { NEVER, newSession, type TranscriptSession, type TranscriptFile } from './transcript.ts';

/**
 * Returns the session of each call. If a copy names the session that requested it, that one wins, even if its file was
 * deleted. Otherwise copies whose rows name their file's session come first, and copies made at a fork come last. Among the
 * rest the older session wins, because a fork repeats the start of its origin. Only the content of files matters, never the
 * times at which they changed.
 */
export function assignOwners(
  calls: readonly MergedCall[],
  transcripts: readonly TranscriptFile[],
): TranscriptSession[] {
  for (const call of calls) noteAges(call);
  const sessions = new Map(transcripts.map(({ session }) => [session.id, session]));
  return calls.map((call) => {
    const { transcript, copies } = call;
    const asked = copies === null ? call : copies.find(isAsked);
    if (asked !== undefined && isAsked(asked)) return askingSession(asked, sessions);
    return copies === null ? transcript.session : chooseOwner(copies);
  });
}

/** Returns true if every copy was made at a fork, so the file of the original session was deleted. */
export function isKnownFromCopies(call: MergedCall): boolean {
  return call.copies === null ? isForkCopy(call) : call.copies.every(isForkCopy);
}

/** Returns true for a copy made at a fork, which starts with its own row and keeps the times of copied rows. */
function isForkCopy(copy: CallCopy): boolean {
  if (hasCopyMark(copy, FORKED)) return true;
  const { facts, session } = copy.transcript;
  if (isAsked(copy) && namedSession(copy) !== session.id) return true;
  const at = facts.times[copy.place] ?? null;
  return at !== null && facts.startedAt !== null && at < facts.startedAt;
}

function isAsked(copy: CallCopy): boolean {
  return hasCopyMark(copy, ASKED);
}

function askingSession(copy: CallCopy, sessions: Map<string, TranscriptSession>): TranscriptSession {
  const id = namedSession(copy);
  let session = sessions.get(id);
  if (session === undefined) sessions.set(id, (session = newSession(id)));
  session.project ??= copy.transcript.facts.project;
  return session;
}

function chooseOwner(copies: readonly CallCopy[]): TranscriptSession {
  const best = Math.min(...copies.map(copyRank));
  const sessions = copies.filter((reported) => copyRank(reported) === best).map(({ transcript }) => transcript.session);
  return sessions.reduce((one, other) => (byAge(other, one) < 0 ? other : one));
}

function copyRank(copy: CallCopy): number {
  if (namedSession(copy) !== copy.transcript.session.id) return 2;
  return hasCopyMark(copy, FORKED) ? 1 : 0;
}

function noteAges({ transcript: { session }, copies, at }: MergedCall): void {
  const time = at ?? NEVER;
  if (copies === null || copies.every(({ transcript }) => transcript.session === session)) {
    if (time < session.ownAt) session.ownAt = time;
    if (time < session.firstAt) session.firstAt = time;
  } else for (const { transcript } of copies) if (time < transcript.session.firstAt) transcript.session.firstAt = time;
}

/** Compares sessions by age. A session without its own calls was copied completely, so it is older. */
function byAge(a: TranscriptSession, b: TranscriptSession): number {
  return (
    compareNumbers(a.firstAt, b.firstAt) ||
    compareNumbers(a.startedAt, b.startedAt) ||
    compareNumbers(ownAge(a), ownAge(b)) ||
    compareTexts(a.id, b.id)
  );
}

function ownAge({ ownAt }: TranscriptSession): number {
  return ownAt === NEVER ? -NEVER : ownAt;
}

/** Compares numbers without subtraction, which fails for infinities. */
function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : Number(a > b);
}
