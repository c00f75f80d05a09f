import {
  byCompleteness,
  CACHE_READ,
  compareTexts,
  copyNumber,
  earliest,
  INPUT,
  MARKS,
  OUTPUT,
  PROGRESS,
  SESSION,
  SIDECHAIN,
  WRITE_1H,
  WRITE_5M,
} from './facts.ts';
import type { TranscriptFile } from './transcript.ts';

/** A copy of a call: its file and its index there. */
export interface CallCopy {
  readonly transcript: TranscriptFile;
  readonly place: number;
}

/** One call, merged from all its copies: the most complete copy, and what the others add. */
export interface MergedCall extends CallCopy {
  /** Copies that may decide the session of the call, without mere repetitions; null = there is only one copy. */
  readonly copies: readonly CallCopy[] | null;
  /** Epoch ms of the earliest; null = no copy has a time. */
  readonly at: number | null;
}

/** Ids of the provider, which are unique. Other ids may repeat in another session. */
const UNIQUE_ID = /^msg_/;
const COUNTS = [INPUT, OUTPUT, CACHE_READ, WRITE_5M, WRITE_1H];

/** Merges the copies of all files into calls. The result does not depend on the order of the files. */
export function mergeCopies(transcripts: readonly TranscriptFile[]): MergedCall[] {
  const calls: MergedCall[] = [];
  copiesById(transcripts).forEach((reported, id) => {
    if (Array.isArray(reported)) calls.push(...mergeSameId(id, reported));
    else calls.push(reported);
  });
  return calls;
}

/** Groups copies by id. Nearly every id has one copy, which is the call. */
function copiesById(transcripts: readonly TranscriptFile[]): Map<string, MergedCall | CallCopy[]> {
  const byId = new Map<string, MergedCall | CallCopy[]>();
  for (const transcript of transcripts) {
    const { ids, times } = transcript.facts;
    for (let place = 0; place < ids.length; place++) {
      const id = ids[place] ?? '';
      const copy = { transcript, place, copies: null, at: times[place] ?? null };
      const known = byId.get(id);
      if (known === undefined) byId.set(id, copy);
      else if (Array.isArray(known)) known.push(copy);
      else byId.set(id, [known, copy]);
    }
  }
  return byId;
}

/** Merges copies with the same id into one call, except for ids that are not unique and different requests. */
function mergeSameId(id: string, copies: readonly CallCopy[]): MergedCall[] {
  const progress = copies.filter((reported) => hasCopyMark(reported, PROGRESS));
  const direct = copies.filter((reported) => !hasCopyMark(reported, PROGRESS));
  const isUnique = UNIQUE_ID.test(id);
  const requests = joinUnnamed(groupBy(direct.length > 0 ? direct : progress, copyRequest), isUnique);
  const { own, replays } = separateReplays(requests, isUnique);
  // Repetitions belong to one call. If there are several calls, the times of repetitions do not belong to them.
  const repeated = own.length === 1 ? [...replays.flat(), ...progress] : [];
  return own.map((group) => mergeGroup(group, repeated));
}

function mergeGroup(copies: readonly CallCopy[], repeated: readonly CallCopy[]): MergedCall {
  const best = copies.reduce((one, other) => (isMoreComplete(other, one) ? other : one));
  const at = [...copies, ...repeated].map(copyTime).reduce(earliest);
  return { transcript: best.transcript, place: best.place, copies, at };
}

function isMoreComplete(a: CallCopy, b: CallCopy): boolean {
  return byCompleteness(a.transcript.facts, a.place, b.transcript.facts, b.place) < 0;
}

/**
 * Joins copies without a request id. With a unique id they belong to the call with a request id. Otherwise they are one call
 * per session, and a copy in another session has the same time.
 */
function joinUnnamed(groups: Map<string, CallCopy[]>, isUnique: boolean): CallCopy[][] {
  const unnamed = groups.get('');
  if (unnamed === undefined) return [...groups.values()];
  groups.delete('');
  if (!isUnique) return [...groups.values(), ...bySessionAndTime(unnamed)];
  const names = [...groups.keys()].toSorted(compareTexts);
  const first =
    names.find((name) => groups.get(name)?.some((reported) => !hasCopyMark(reported, SIDECHAIN))) ?? names[0];
  const named = first === undefined ? undefined : groups.get(first);
  if (named === undefined) return [unnamed];
  named.push(...unnamed);
  return [...groups.values()];
}

function bySessionAndTime(copies: readonly CallCopy[]): CallCopy[][] {
  const sessions = groupBy(copies, namedSession);
  const byTime = groupBy([...sessions], ([session, group]) => String(group.map(copyTime).reduce(earliest) ?? session));
  return Array.from(byTime.values(), (groups) => groups.flatMap(([, group]) => group));
}

/**
 * Separates replays. A side question repeats an answer of the session under another request. Such groups, all of
 * sidechains, count only if nothing else has the id, and once if the id is unique.
 */
function separateReplays(
  groups: readonly CallCopy[][],
  isUnique: boolean,
): { own: readonly CallCopy[][]; replays: CallCopy[][] } {
  if (groups.length === 1) return { own: groups, replays: [] };
  const side = groups.filter((group) => group.every((reported) => hasCopyMark(reported, SIDECHAIN)));
  const main = groups.filter((group) => !side.includes(group));
  if (isUnique) return main.length === 0 ? { own: [side.flat()], replays: [] } : { own: main, replays: side };
  const vectors = new Set(main.flat().map(countsKey));
  const replays = side.filter((group) => group.every((reported) => vectors.has(countsKey(reported))));
  return { own: groups.filter((group) => !replays.includes(group)), replays };
}

/** Returns the session named in a copy's rows. */
export function namedSession({ transcript: { facts, session }, place }: CallCopy): string {
  return facts.names[copyNumber(facts, place, SESSION)] ?? session.id;
}

export function hasCopyMark({ transcript, place }: CallCopy, mark: number): boolean {
  return (copyNumber(transcript.facts, place, MARKS) & mark) !== 0;
}

function copyRequest({ transcript, place }: CallCopy): string {
  return transcript.facts.requests[place] ?? '';
}

function copyTime({ transcript, place }: CallCopy): number | null {
  return transcript.facts.times[place] ?? null;
}

function countsKey({ transcript, place }: CallCopy): string {
  return COUNTS.map((which) => copyNumber(transcript.facts, place, which)).join(' ');
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
