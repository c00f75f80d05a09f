import type { FactsReader, SessionFile } from '../source.ts';
import { Draft } from './draft.ts';
import {
  ASKED,
  type ClaudeFacts,
  ENDED,
  FORKED,
  NO_FACTS,
  type Numbers,
  PROGRESS,
  SIDECHAIN,
  type Terms,
  UNBILLED,
} from './facts.ts';
import { LongRow } from './long-row.ts';
import { textOf, timeOf, type UsageRow, usageRowOf } from './rows.ts';
import { type LoggedUsage, loggedUsage } from './usage.ts';

/** Ends the name of every count of tokens, so that no row of usage is without it; in text, quotes are escaped. */
const MARKER = Buffer.from('put_tokens"');
/** Around what was said, as Claude Code writes it: most of a row, and nothing of its usage. */
const CONTENT = Buffer.from('"content":[');
const CONTENT_END = Buffer.from('],"stop_reason":');
const TIME = Buffer.from('"timestamp":"');
const TIME_CHARS = '2026-01-31T12:00:00.000Z'.length;
const NEWLINE = 0x0a;
/** What an answer has when it begins. */
const FIRST_OUTPUT_MAX = 8;
const BEYOND_ASCII = /[^\0-\x7f]/;

/** Reads the rows of one transcript. */
export class TranscriptReader implements FactsReader<ClaudeFacts> {
  readonly #sessionId: string;
  readonly #draft: Draft;
  #longRow: LongRow | null = null;

  constructor(file: SessionFile, before: ClaudeFacts | null) {
    this.#sessionId = file.sessionId;
    this.#draft = new Draft(before ?? NO_FACTS);
  }

  /** Most lines tell of no usage: they are passed over without being read. */
  block(bytes: Buffer, start: number, end: number): void {
    const block = bytes.subarray(start, end);
    this.#draft.startedAt ??= firstTime(block);
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
    if (value === undefined) this.#draft.unreadable++;
    else this.#row(usageRowOf(value));
  }

  facts(): ClaudeFacts {
    return this.#draft.facts();
  }

  /** All that is looked at is ASCII but folder and model: a line is read as text of one byte each, which is faster. */
  #line(bytes: Buffer, start: number, end: number): void {
    const row = readShortened(bytes, start, end) ?? readLine(bytes.toString('latin1', start, end));
    if (row === undefined) this.#draft.unreadable++;
    else if (row !== null && (this.#isForeign(row) || BEYOND_ASCII.test(row.model)))
      this.#row(readLine(bytes.toString('utf8', start, end)) ?? null);
    else this.#row(row);
  }

  #isForeign({ cwd }: UsageRow): boolean {
    return this.#draft.project === null && cwd !== null && BEYOND_ASCII.test(cwd);
  }

  #row(row: UsageRow | null): void {
    if (row === null) return;
    const draft = this.#draft;
    draft.project ??= row.cwd;
    draft.session ??= row.sessionId;
    const usage = loggedUsage(row.usage);
    if (usage === null) {
      draft.unreadable++;
      return;
    }
    const { id, requestId, at } = row;
    draft.add({ id, request: requestId ?? '', at, numbers: this.#numbers(row, usage), more: usage.more });
  }

  #numbers(row: UsageRow, { pass, thinking }: LoggedUsage): Numbers {
    const { sessionId, usage } = row;
    const isOwn = sessionId === null || sessionId === this.#sessionId;
    return [
      isOwn ? -1 : this.#draft.nameOf(sessionId),
      this.#draft.nameOf(row.model),
      this.#draft.termsOf(termsOf(usage)),
      marksOf(row, pass[2]),
      pass[1],
      pass[2],
      pass[3],
      pass[4],
      pass[5],
      thinking,
    ];
  }
}

function firstTime(block: Buffer): number | null {
  const found = block.indexOf(TIME);
  if (found === -1) return null;
  const from = found + TIME.length;
  return timeOf(block.toString('latin1', from, from + TIME_CHARS));
}

function marksOf(row: UsageRow, output: number): number {
  return (
    (row.sidechain ? SIDECHAIN : 0) |
    (row.progress ? PROGRESS : 0) |
    (row.forked ? FORKED : 0) |
    (row.asked ? ASKED : 0) |
    (row.stopReason !== null || output > FIRST_OUTPUT_MAX ? ENDED : 0) |
    (row.stopReason === 'refusal' && output === 0 ? UNBILLED : 0)
  );
}

/**
 * Reads a row without its content. Quotes in text are escaped, so both marks are structure. If they are not those of one
 * list, what is left of the row does not close as it opened, or has no usage, and the whole row is read.
 */
function readShortened(bytes: Buffer, start: number, end: number): UsageRow | null {
  const content = bytes.indexOf(CONTENT, start);
  if (content === -1 || content >= end) return null;
  const from = content + CONTENT.length;
  const to = bytes.lastIndexOf(CONTENT_END, end);
  if (to < from) return null;
  return readLine(bytes.toString('latin1', start, from) + bytes.toString('latin1', to, end)) ?? null;
}

/** undefined = it is no JSON. */
function readLine(text: string): UsageRow | null | undefined {
  try {
    return usageRowOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function termsOf(usage: UsageRow['usage']): Terms {
  return [wordOf(usage['service_tier']), wordOf(usage['speed']), wordOf(usage['inference_geo'])];
}

function wordOf(value: unknown): string | null {
  return textOf(value)?.toLowerCase() ?? null;
}
