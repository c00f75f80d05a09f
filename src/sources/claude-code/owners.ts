import { hasMark, type OneCall, sessionNamed, type Told } from './calls.ts';
import { compareTexts } from './copies.ts';
import { FORKED } from './facts.ts';
import { NEVER, type Session } from './transcript.ts';

/**
 * The session that each call is listed under. Copies whose rows name the session they stand in come before others, and
 * copies made at a fork come last. What is left is told apart by age: a fork repeats the beginning of the session that it
 * was made from, and its own calls come later. It all depends on what files say, never on when they changed.
 */
export function ownersOf(calls: readonly OneCall[]): Session[] {
  for (const call of calls) noteAges(call);
  return calls.map(({ transcript, copies }) => (copies === null ? transcript.session : ownerOf(copies)));
}

function ownerOf(copies: readonly Told[]): Session {
  const best = Math.min(...copies.map(rankOf));
  const sessions = copies.filter((told) => rankOf(told) === best).map(({ transcript }) => transcript.session);
  return sessions.reduce((one, other) => (byAge(other, one) < 0 ? other : one));
}

function rankOf(told: Told): number {
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
  return compareNumbers(a.firstAt, b.firstAt) || compareNumbers(ownAge(a), ownAge(b)) || compareTexts(a.id, b.id);
}

function ownAge({ ownAt }: Session): number {
  return ownAt === NEVER ? -NEVER : ownAt;
}

/** Not by difference: two infinities have none. */
function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : Number(a > b);
}
