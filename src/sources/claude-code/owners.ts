import { hasMark, type OneCall, sessionNamed, type Told } from './calls.ts';
import { compareTexts } from './copies.ts';
import { FORKED } from './facts.ts';

/** What tells the older of two sessions that share calls. */
interface Age {
  /** Epoch ms of its first call. */
  firstAt: number;
  /** Epoch ms of its first call that stands in no other session; ∞ = it has none. */
  ownAt: number;
}

const NEVER = Number.POSITIVE_INFINITY;

/**
 * The session that each call is listed under. Copies whose rows name the session they stand in come before others, and
 * copies made at a fork come last. What is left is told apart by age: a fork repeats the beginning of the session that it
 * was made from, and its own calls come later. It all depends on what files say, never on when they changed.
 */
export function ownersOf(calls: readonly OneCall[]): string[] {
  let ages: Map<string, Age> | null = null;
  return calls.map(({ transcript, copies }) => {
    if (copies === null) return transcript.sessionId;
    const [first, ...others] = choicesOf(copies);
    if (first === undefined || others.length === 0) return first ?? transcript.sessionId;
    const known = (ages ??= agesOf(calls));
    return others.reduce((one, other) => (byAge(known, other, one) < 0 ? other : one), first);
  });
}

function choicesOf(copies: readonly Told[]): string[] {
  const best = Math.min(...copies.map(rankOf));
  return [...new Set(copies.filter((told) => rankOf(told) === best).map(({ transcript }) => transcript.sessionId))];
}

function rankOf(told: Told): number {
  if (sessionNamed(told) !== told.transcript.sessionId) return 2;
  return hasMark(told, FORKED) ? 1 : 0;
}

function agesOf(calls: readonly OneCall[]): Map<string, Age> {
  const ages = new Map<string, Age>();
  for (const { transcript, copies, at } of calls) {
    const { sessionId } = transcript;
    if (copies === null || copies.every((told) => told.transcript.sessionId === sessionId))
      noteAge(ages, sessionId, at ?? NEVER, true);
    else for (const told of copies) noteAge(ages, told.transcript.sessionId, at ?? NEVER, false);
  }
  return ages;
}

function noteAge(ages: Map<string, Age>, sessionId: string, at: number, isOwn: boolean): void {
  let age = ages.get(sessionId);
  if (age === undefined) ages.set(sessionId, (age = { firstAt: NEVER, ownAt: NEVER }));
  age.firstAt = Math.min(age.firstAt, at);
  if (isOwn) age.ownAt = Math.min(age.ownAt, at);
}

/** A session without a call of its own was copied whole: it is the older one. */
function byAge(ages: ReadonlyMap<string, Age>, a: string, b: string): number {
  const [one, other] = [ages.get(a), ages.get(b)];
  const ownOf = (age: Age | undefined): number => (age === undefined || age.ownAt === NEVER ? -NEVER : age.ownAt);
  return (
    compareNumbers(one?.firstAt ?? NEVER, other?.firstAt ?? NEVER) ||
    compareNumbers(ownOf(one), ownOf(other)) ||
    compareTexts(a, b)
  );
}

/** Not by difference: two infinities have none. */
function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : Number(a > b);
}
