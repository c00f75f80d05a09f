import {
  ASKED,
  byCompleteness,
  type ClaudeFacts,
  copyNumber,
  type CopyNumbers,
  earliest,
  ENDED,
  type ExtraUsage,
  FORKED,
  MARKS,
  PROGRESS,
  SESSION,
  SIDECHAIN,
  type TermsTuple,
  UNBILLED,
  WIDTH,
} from './facts.ts';

/** Marks that are set on a call only if all its rows have them. */
const EVERY_ROW = SIDECHAIN | PROGRESS | FORKED | ASKED;

/** A row as a copy of its call. */
export interface RowCopy {
  readonly id: string;
  readonly request: string;
  readonly at: number | null;
  readonly numbers: CopyNumbers;
  readonly more: ExtraUsage | undefined;
}

/** Builds facts row by row. */
export class FactsBuilder implements ClaudeFacts {
  project: string | null;
  session: string | null;
  startedAt: number | null;
  unreadable: number;
  readonly names: string[];
  readonly terms: TermsTuple[];
  readonly ids: string[];
  readonly requests: string[];
  readonly times: (number | null)[];
  readonly numbers: number[];
  readonly more: Record<number, ExtraUsage>;
  /** Index of each call's copy. */
  readonly #places = new Map<string, number>();

  constructor(before: ClaudeFacts) {
    this.project = before.project;
    this.session = before.session;
    this.startedAt = before.startedAt;
    this.unreadable = before.unreadable;
    this.names = [...before.names];
    this.terms = [...before.terms];
    this.ids = [...before.ids];
    this.requests = [...before.requests];
    this.times = [...before.times];
    this.numbers = [...before.numbers];
    this.more = { ...before.more };
    this.ids.forEach((id, place) => this.#places.set(this.#keyAt(id, place), place));
  }

  /** Returns the index of a name. A file has few sessions and models, so searching a list is fast. */
  nameIndex(text: string): number {
    const place = this.names.indexOf(text);
    return place === -1 ? this.names.push(text) - 1 : place;
  }

  termsIndex(reported: TermsTuple): number {
    const place = this.terms.findIndex(
      (terms) => terms[0] === reported[0] && terms[1] === reported[1] && terms[2] === reported[2],
    );
    return place === -1 ? this.terms.push(reported) - 1 : place;
  }

  /** Adds a row. Two rows of the same call become the more complete one with the earlier time. */
  add(part: RowCopy): void {
    const last = this.ids.length - 1;
    // Rows of one call are nearly always consecutive.
    const key = this.#isOf(last, part) ? null : rowKey(part);
    const known = key === null ? last : this.#places.get(key);
    if (known !== undefined) this.#join(known, this.#append(part), part);
    else this.#places.set(key ?? '', this.#append(part));
  }

  #isOf(place: number, { id, request, numbers }: RowCopy): boolean {
    return (
      this.ids[place] === id &&
      this.requests[place] === request &&
      copyNumber(this, place, SESSION) === numbers[SESSION] &&
      ((copyNumber(this, place, MARKS) ^ numbers[MARKS]) & PROGRESS) === 0
    );
  }

  facts(): ClaudeFacts {
    const { project, session, startedAt, unreadable } = this;
    const { names, terms, ids, requests, times, numbers, more } = this;
    return {
      project,
      session,
      startedAt,
      names: [...names],
      terms: [...terms],
      ids: [...ids],
      requests: [...requests],
      times: [...times],
      numbers: [...numbers],
      more: { ...more },
      unreadable,
    };
  }

  #keyAt(id: string, place: number): string {
    const marks = copyNumber(this, place, MARKS) & PROGRESS;
    return `${id} ${this.requests[place] ?? ''} ${copyNumber(this, place, SESSION)} ${marks}`;
  }

  #append({ id, request, at, numbers, more }: RowCopy): number {
    const place = this.ids.push(id) - 1;
    this.requests.push(request);
    this.times.push(at);
    this.numbers.push(...numbers);
    if (more !== undefined) this.more[place] = more;
    return place;
  }

  #removeLast(place: number): void {
    this.ids.pop();
    this.requests.pop();
    this.times.pop();
    this.numbers.length = place * WIDTH;
    delete this.more[place];
  }

  /** Merges the last copy, at `place`, into the one at `known`. */
  #join(known: number, place: number, { at, numbers, more }: RowCopy): void {
    const marks = copyNumber(this, known, MARKS);
    const own = numbers[MARKS];
    const isBetter = byCompleteness(this, place, this, known) < 0;
    if (isBetter) {
      for (let which = 0; which < WIDTH; which++) this.numbers[known * WIDTH + which] = numbers[which] ?? 0;
      if (more === undefined) delete this.more[known];
      else this.more[known] = more;
    }
    this.times[known] = earliest(this.times[known] ?? null, at);
    this.numbers[known * WIDTH + MARKS] =
      (marks & own & EVERY_ROW) | ((marks | own) & ENDED) | ((isBetter ? own : marks) & UNBILLED);
    this.#removeLast(place);
  }
}

/** Returns the key of a row's call. Repetitions of a subagent's rows have another key, because they count only if no other row has the call. */
function rowKey({ id, request, numbers }: RowCopy): string {
  return `${id} ${request} ${numbers[SESSION]} ${numbers[MARKS] & PROGRESS}`;
}
