import type { FactsReader, SessionFile } from '../reading/source.ts';
import { withoutContent } from './content.ts';
import { FactsBuilder } from './facts-builder.ts';
import {
  ASKED,
  type ClaudeFacts,
  ENDED,
  FORKED,
  NO_FACTS,
  type CopyNumbers,
  PROGRESS,
  SIDECHAIN,
  UNBILLED,
} from './facts.ts';
import { asTime } from '../../lib/json/values.ts';
import { LongRowReader } from './long-row.ts';
import { RowForms } from './row-forms.ts';
import { type UsageRow, readUsageRow } from './rows.ts';
import type { LoggedUsage } from './usage.ts';

/** End of the name of token counts, which every row with usage contains. In text, quotes are escaped. */
const MARKER = Buffer.from('put_tokens"');
const TIME = Buffer.from('"timestamp":"');
const TIME_CHARS = '2026-01-31T12:00:00.000Z'.length;
const NEWLINE = 0x0a;
/** Largest output count at the start of an answer. */
const FIRST_OUTPUT_MAX = 8;
/** Shared by all files. It remembers forms and repeated texts, but no rows. */
const FORMS = new RowForms();

/** Reads the rows of one transcript. */
export class TranscriptReader implements FactsReader<ClaudeFacts> {
  readonly #sessionId: string;
  readonly #draft: FactsBuilder;
  #longRow: LongRowReader | null = null;

  constructor(file: SessionFile, before: ClaudeFacts | null) {
    this.#sessionId = file.sessionId;
    this.#draft = new FactsBuilder(before ?? NO_FACTS);
  }

  block(bytes: Buffer, start: number, end: number): void {
    this.#draft.startedAt ??= firstTime(bytes.subarray(start, end));
    for (let from = start; from < end;) {
      const newline = bytes.indexOf(NEWLINE, from);
      const to = newline === -1 || newline >= end ? end : newline;
      // Forms do not read the folder, which the first row with usage must provide.
      const row = this.#draft.project === null ? null : FORMS.read(bytes, from, to);
      if (row === null) this.#parse(bytes, from, to);
      else this.#add(row);
      from = to + 1;
    }
  }

  longLine(piece: Buffer, last: boolean): void {
    this.#longRow ??= new LongRowReader();
    this.#longRow.push(piece);
    if (!last) return;
    const value = this.#longRow.end();
    this.#longRow = null;
    if (value === undefined) this.#draft.unreadable++;
    else this.#add(readUsageRow(value));
  }

  facts(): ClaudeFacts {
    return this.#draft.facts();
  }

  #parse(bytes: Buffer, from: number, to: number): void {
    const line = bytes.subarray(from, to);
    if (!line.includes(MARKER)) return;
    const shortened = withoutContent(line);
    const row = (shortened && parseRow(shortened)) || parseRow(line.toString());
    if (row === undefined) this.#draft.unreadable++;
    else this.#add(row);
    if (row && row.usage !== null) FORMS.learn(row, bytes, from, to);
  }

  #add(row: UsageRow | null): void {
    if (row === null) return;
    const draft = this.#draft;
    draft.project ??= row.cwd;
    draft.session ??= row.sessionId;
    if (row.usage === null) {
      draft.unreadable++;
      return;
    }
    const { id, requestId, at } = row;
    draft.add({ id, request: requestId ?? '', at, numbers: this.#numbers(row, row.usage), more: row.usage.more });
  }

  #numbers(row: UsageRow, { pass, thinking }: LoggedUsage): CopyNumbers {
    const { sessionId, model, terms } = row;
    const isOwn = sessionId === null || sessionId === this.#sessionId;
    return [
      isOwn ? -1 : this.#draft.nameIndex(sessionId),
      this.#draft.nameIndex(model),
      this.#draft.termsIndex(terms),
      rowMarks(row, pass[2]),
      pass[1],
      pass[2],
      pass[3],
      pass[4],
      pass[5],
      thinking,
    ];
  }
}

/** Parses a row; null = it has no usage; undefined = it is not JSON. */
function parseRow(text: string): UsageRow | null | undefined {
  try {
    return readUsageRow(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function firstTime(block: Buffer): number | null {
  const found = block.indexOf(TIME);
  if (found === -1) return null;
  const from = found + TIME.length;
  return asTime(block.toString('latin1', from, from + TIME_CHARS));
}

function rowMarks(row: UsageRow, output: number): number {
  return (
    (row.sidechain ? SIDECHAIN : 0) |
    (row.progress ? PROGRESS : 0) |
    (row.forked ? FORKED : 0) |
    (row.asked ? ASKED : 0) |
    (row.stopReason !== null || output > FIRST_OUTPUT_MAX ? ENDED : 0) |
    (row.stopReason === 'refusal' && output === 0 ? UNBILLED : 0)
  );
}
