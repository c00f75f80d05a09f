import { byCompleteness, compareTexts, earliest } from './copies.ts';
import {
  AT,
  CACHE_READ,
  type Copy,
  ID,
  INPUT,
  MARKS,
  OUTPUT,
  PROGRESS,
  REQUEST_ID,
  SESSION,
  SIDECHAIN,
  WRITE_1H,
  WRITE_5M,
} from './facts.ts';
import type { Transcript } from './transcript.ts';

/** A copy, and the file that it is from. */
export interface Told {
  readonly copy: Copy;
  readonly transcript: Transcript;
}

/** One call, put together from everything that tells of it. */
export interface OneCall {
  /** The most complete copy. */
  readonly best: Told;
  /** Those that may say whose it is: what merely repeats others is left out. */
  readonly copies: readonly Told[];
  /** Epoch ms of the earliest; null = no copy has a time. */
  readonly at: number | null;
}

/** Ids that the provider gives: no two answers have the same. Those of others may come again in another session. */
const UNIQUE_ID = /^msg_/;

/** Each call once, whichever files tell of it and in whatever order they come. */
export function callsOf(transcripts: readonly Transcript[]): OneCall[] {
  const byId = new Map<string, Told[]>();
  for (const transcript of transcripts)
    for (const copy of transcript.facts.copies) {
      const told = { copy, transcript };
      const others = byId.get(copy[ID]);
      if (others === undefined) byId.set(copy[ID], [told]);
      else others.push(told);
    }
  const calls: OneCall[] = [];
  for (const copies of byId.values())
    if (copies.length === 1) calls.push(oneCall(copies, copies));
    else calls.push(...callsOfId(copies));
  return calls;
}

/** What has the same id is one call, but for ids that are not unique and requests that are truly others. */
function callsOfId(copies: readonly Told[]): OneCall[] {
  const progress = copies.filter(isProgress);
  const direct = progress.length === copies.length ? copies : copies.filter((told) => !isProgress(told));
  const isUnique = UNIQUE_ID.test(direct[0]?.copy[ID] ?? '');
  const requests = joinUnnamed(groupBy(direct, requestOf), isUnique);
  const [own, replays] = partReplays(requests, isUnique);
  const repeated = [...replays.flat(), ...(direct === copies ? [] : progress)];
  // Repetitions are of one call; where there are several, the others' times are not theirs.
  return own.map((group) => oneCall(group, own.length === 1 ? [...group, ...repeated] : group));
}

function oneCall(copies: readonly Told[], all: readonly Told[]): OneCall {
  const [first, ...rest] = copies;
  if (first === undefined) throw new RangeError('a call without a copy');
  let best = first;
  for (const told of rest)
    if (byCompleteness(told.copy, told.transcript.facts, best.copy, best.transcript.facts) < 0) best = told;
  let at = best.copy[AT];
  for (const { copy } of all) at = earliest(at, copy[AT]);
  return { best, copies, at };
}

/**
 * Copies without a request: with a unique id they are of the call that has one. Else they are one call per session, and
 * a copy in another session has kept its time.
 */
function joinUnnamed(groups: Map<string, Told[]>, isUnique: boolean): Told[][] {
  const unnamed = groups.get('');
  if (unnamed === undefined) return [...groups.values()];
  groups.delete('');
  if (!isUnique) return [...groups.values(), ...bySessionAndTime(unnamed)];
  const names = [...groups.keys()].toSorted(compareTexts);
  const first = names.find((name) => groups.get(name)?.some((told) => !isSidechain(told))) ?? names[0];
  const named = first === undefined ? undefined : groups.get(first);
  if (named === undefined) return [unnamed];
  named.push(...unnamed);
  return [...groups.values()];
}

function bySessionAndTime(copies: readonly Told[]): Told[][] {
  const sessions = groupBy(copies, ({ copy, transcript }) => sessionNamed(copy, transcript));
  const byTime = groupBy([...sessions], ([session, group]) => {
    const at = group.reduce<number | null>((time, { copy }) => earliest(time, copy[AT]), null);
    return at === null ? session : String(at);
  });
  return Array.from(byTime.values(), (groups) => groups.flatMap(([, group]) => group));
}

/**
 * A question beside the session repeats an answer of it under another request. Such groups, all of sidechains, count
 * only where nothing else has the id; and then, if it is unique, once.
 */
function partReplays(groups: readonly Told[][], isUnique: boolean): [own: readonly Told[][], replays: Told[][]] {
  if (groups.length === 1) return [groups, []];
  const main = groups.filter((group) => group.some((told) => !isSidechain(told)));
  const side = groups.filter((group) => group.every(isSidechain));
  if (isUnique) return main.length === 0 ? [[side.flat()], []] : [main, side];
  const vectors = new Set(main.flat().map(vectorOf));
  const isReplay = (group: readonly Told[]): boolean => group.every((told) => vectors.has(vectorOf(told)));
  return [[...main, ...side.filter((group) => !isReplay(group))], side.filter(isReplay)];
}

/** The session that a copy's rows name. */
export function sessionNamed(copy: Copy, { sessionId, facts }: Transcript): string {
  return facts.names[copy[SESSION]] ?? sessionId;
}

function requestOf({ copy }: Told): string {
  return copy[REQUEST_ID] ?? '';
}

function isProgress({ copy }: Told): boolean {
  return (copy[MARKS] & PROGRESS) !== 0;
}

function isSidechain({ copy }: Told): boolean {
  return (copy[MARKS] & SIDECHAIN) !== 0;
}

function vectorOf({ copy }: Told): string {
  return [copy[INPUT], copy[OUTPUT], copy[CACHE_READ], copy[WRITE_5M], copy[WRITE_1H]].join(' ');
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
