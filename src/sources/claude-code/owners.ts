import type { OneCall, Told } from './calls.ts';
import { sessionNamed } from './calls.ts';
import { compareTexts } from './copies.ts';
import { FORKED, MARKS } from './facts.ts';

/** What tells the older of two sessions that share calls. */
interface Age {
  /** Epoch ms of its first call. */
  readonly firstAt: number;
  /** Epoch ms of its first call that stands in no other session; −∞ = all do, so all of it was copied. */
  readonly ownAt: number;
}

/**
 * The session that each call is listed under. Copies whose rows name the session they stand in come before others, and
 * copies made at a fork come last. What is left is told apart by age: a fork repeats the beginning of the session that it
 * was made from, and its own calls come later. It all depends on what files say, never on when they changed.
 */
export function ownersOf(calls: readonly OneCall[]): string[] {
  const choices = calls.map(({ copies }) => choicesOf(copies));
  if (choices.every((sessions) => sessions.length === 1)) return choices.map(([session]) => session ?? '');
  const ages = agesOf(calls);
  return choices.map((sessions) => sessions.toSorted((a, b) => byAge(ages, a, b))[0] ?? '');
}

function choicesOf(copies: readonly Told[]): string[] {
  const [first] = copies;
  if (copies.length === 1 && first) return [first.transcript.sessionId];
  const best = Math.min(...copies.map(rankOf));
  return [...new Set(copies.filter((told) => rankOf(told) === best).map(({ transcript }) => transcript.sessionId))];
}

function rankOf({ copy, transcript }: Told): number {
  if (sessionNamed(copy, transcript) !== transcript.sessionId) return 2;
  return (copy[MARKS] & FORKED) === 0 ? 0 : 1;
}

function agesOf(calls: readonly OneCall[]): Map<string, Age> {
  const ages = new Map<string, Age>();
  for (const { copies, at } of calls) {
    const sessions = new Set(copies.map(({ transcript }) => transcript.sessionId));
    const time = at ?? Number.POSITIVE_INFINITY;
    for (const session of sessions) {
      const age = ages.get(session) ?? { firstAt: Number.POSITIVE_INFINITY, ownAt: Number.POSITIVE_INFINITY };
      const ownAt = sessions.size === 1 ? Math.min(age.ownAt, time) : age.ownAt;
      ages.set(session, { firstAt: Math.min(age.firstAt, time), ownAt });
    }
  }
  return ages;
}

function byAge(ages: ReadonlyMap<string, Age>, a: string, b: string): number {
  const [one, other] = [ages.get(a), ages.get(b)];
  const ownOf = (age: Age | undefined): number =>
    age === undefined || age.ownAt === Number.POSITIVE_INFINITY ? Number.NEGATIVE_INFINITY : age.ownAt;
  return (
    compareNumbers(one?.firstAt ?? 0, other?.firstAt ?? 0) ||
    compareNumbers(ownOf(one), ownOf(other)) ||
    compareTexts(a, b)
  );
}

/** Not by difference: two infinities have none. */
function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : Number(a > b);
}
