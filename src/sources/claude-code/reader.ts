import type { FactsReader, SessionFile } from '../source.ts';
import { joined } from './copies.ts';
import {
  type ClaudeFacts,
  type Copy,
  ENDED,
  FORKED,
  ID,
  MARKS,
  NO_FACTS,
  PROGRESS,
  REQUEST_ID,
  SESSION,
  SIDECHAIN,
  type Terms,
  UNBILLED,
} from './facts.ts';
import { LongRow } from './long-row.ts';
import { textOf, type UsageRow, usageRowOf } from './rows.ts';
import { type LoggedUsage, loggedUsage } from './usage.ts';

/** Ends the name of every count of tokens, so that no row of usage is without it; in text, quotes are escaped. */
const MARKER = Buffer.from('put_tokens"');
const NEWLINE = 0x0a;
/** What an answer has when it begins. */
const FIRST_OUTPUT_MAX = 8;
const BEYOND_ASCII = /[^\0-\x7f]/;

/** Reads the rows of one transcript. */
export class TranscriptReader implements FactsReader<ClaudeFacts> {
  readonly #sessionId: string;
  #project: string | null;
  #session: string | null;
  readonly #names: string[];
  readonly #terms: Terms[];
  readonly #copies: Copy[];
  #unreadable: number;
  /** Place of each call's copy. */
  readonly #places = new Map<string, number>();
  #longRow: LongRow | null = null;

  constructor(file: SessionFile, before: ClaudeFacts | null) {
    const { project, session, names, terms, copies, unreadable } = before ?? NO_FACTS;
    this.#sessionId = file.sessionId;
    this.#project = project;
    this.#session = session;
    this.#names = [...names];
    this.#terms = [...terms];
    this.#copies = [...copies];
    this.#unreadable = unreadable;
    copies.forEach((copy, place) => this.#places.set(keyOf(copy), place));
  }

  /** Most lines tell of no usage: they are passed over without being read. */
  block(bytes: Buffer, start: number, end: number): void {
    const block = bytes.subarray(start, end);
    let hit = block.indexOf(MARKER);
    while (hit !== -1) {
      const newline = block.indexOf(NEWLINE, hit);
      const lineEnd = newline === -1 ? block.length : newline;
      this.#line(block, block.lastIndexOf(NEWLINE, hit) + 1, lineEnd);
      hit = block.indexOf(MARKER, lineEnd);
    }
  }

  longLine(piece: Buffer, last: boolean): void {
    this.#longRow ??= new LongRow();
    this.#longRow.push(piece);
    if (!last) return;
    const value = this.#longRow.end();
    this.#longRow = null;
    if (value === undefined) this.#unreadable++;
    else this.#row(usageRowOf(value));
  }

  facts(): ClaudeFacts {
    return {
      project: this.#project,
      session: this.#session,
      names: [...this.#names],
      terms: [...this.#terms],
      copies: [...this.#copies],
      unreadable: this.#unreadable,
    };
  }

  /** All that is looked at is ASCII but folder and model: a line is read as text of one byte each, which is faster. */
  #line(bytes: Buffer, start: number, end: number): void {
    const row = readLine(bytes.toString('latin1', start, end));
    if (row === undefined) this.#unreadable++;
    else if (row !== null && (this.#isForeign(row) || BEYOND_ASCII.test(row.model)))
      this.#row(readLine(bytes.toString('utf8', start, end)) ?? null);
    else this.#row(row);
  }

  #isForeign({ cwd }: UsageRow): boolean {
    return this.#project === null && cwd !== null && BEYOND_ASCII.test(cwd);
  }

  #row(row: UsageRow | null): void {
    if (row === null) return;
    this.#project ??= row.cwd;
    this.#session ??= row.sessionId;
    const usage = loggedUsage(row.usage);
    if (usage === null) this.#unreadable++;
    else this.#add(this.#copy(row, usage));
  }

  #copy(row: UsageRow, { pass, thinking, more }: LoggedUsage): Copy {
    const [, input, output, cacheRead, write5m, write1h] = pass;
    const isOwn = row.sessionId === null || row.sessionId === this.#sessionId;
    const ended = row.stopReason !== null || output > FIRST_OUTPUT_MAX;
    const marks =
      (row.sidechain ? SIDECHAIN : 0) |
      (row.progress ? PROGRESS : 0) |
      (row.forked ? FORKED : 0) |
      (ended ? ENDED : 0) |
      (row.stopReason === 'refusal' && output === 0 ? UNBILLED : 0);
    const session = isOwn ? -1 : this.#name(row.sessionId ?? '');
    const counts = [input, output, cacheRead, write5m, write1h, thinking] as const;
    const head = [row.id, row.requestId, session, this.#name(row.model), this.#termsOf(row), row.at, marks] as const;
    return more === undefined ? [...head, ...counts] : [...head, ...counts, more];
  }

  #add(copy: Copy): void {
    const key = keyOf(copy);
    const place = this.#places.get(key);
    const known = place === undefined ? undefined : this.#copies[place];
    if (place === undefined || known === undefined) this.#places.set(key, this.#copies.push(copy) - 1);
    else this.#copies[place] = joined(known, copy, { names: this.#names, terms: this.#terms });
  }

  /** A file names few sessions and models: a list is quicker to search than anything else is to keep. */
  #name(text: string): number {
    const place = this.#names.indexOf(text);
    return place === -1 ? this.#names.push(text) - 1 : place;
  }

  #termsOf({ usage }: UsageRow): number {
    const tier = wordOf(usage['service_tier']);
    const speed = wordOf(usage['speed']);
    const geo = wordOf(usage['inference_geo']);
    const place = this.#terms.findIndex((terms) => terms[0] === tier && terms[1] === speed && terms[2] === geo);
    return place === -1 ? this.#terms.push([tier, speed, geo]) - 1 : place;
  }
}

/** Rows with the same key are of one call. Repetitions of a subagent's are apart: they count only if nothing else does. */
function keyOf(copy: Copy): string {
  return `${copy[ID]} ${copy[REQUEST_ID] ?? ''} ${copy[SESSION]} ${copy[MARKS] & PROGRESS}`;
}

/** undefined = it is no JSON. */
function readLine(text: string): UsageRow | null | undefined {
  try {
    return usageRowOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function wordOf(value: unknown): string | null {
  return textOf(value)?.toLowerCase() ?? null;
}
