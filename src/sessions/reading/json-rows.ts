import type { JsonObject } from '../../lib/json/values.ts';
import { parseJsonObject } from './json-document.ts';
import type { FactsReader } from './source.ts';

/** Longer lines are not parsed. They hold images and outputs of tools. */
const LINE_BYTES_MAX = 8 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Receives the rows of a file, and gives its facts. */
export interface RowReceiver<Facts> {
  row(row: JsonObject): void;
  /** Counts a row that may contain usage and could not be read. */
  unreadable(): void;
  facts(): Facts;
}

/** Reads a file of JSON lines. Lines without one of the markers are skipped unparsed. */
export class JsonRowReader<Facts> implements FactsReader<Facts> {
  readonly #markers: readonly Buffer[];
  readonly #receiver: RowReceiver<Facts>;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isMarked = false;

  /** @param markers texts, one of which each relevant line contains */
  constructor(markers: readonly string[], receiver: RowReceiver<Facts>) {
    this.#markers = markers.map((marker) => Buffer.from(marker));
    this.#receiver = receiver;
  }

  block(bytes: Buffer, start: number, end: number): void {
    for (let from = start; from < end;) {
      const newline = bytes.indexOf(NEWLINE, from);
      const to = newline === -1 || newline >= end ? end : newline;
      this.#line(bytes.subarray(from, to));
      from = to + 1;
    }
  }

  longLine(piece: Buffer, last: boolean): void {
    this.#bytes += piece.length;
    this.#isMarked ||= this.#hasMarker(piece);
    if (this.#bytes <= LINE_BYTES_MAX) this.#pieces.push(Buffer.from(piece));
    if (!last) return;
    if (this.#bytes <= LINE_BYTES_MAX) this.#line(Buffer.concat(this.#pieces));
    else if (this.#isMarked) this.#receiver.unreadable();
    this.#pieces = [];
    this.#bytes = 0;
    this.#isMarked = false;
  }

  facts(): Facts {
    return this.#receiver.facts();
  }

  #hasMarker(line: Buffer): boolean {
    return this.#markers.some((marker) => line.includes(marker));
  }

  #line(line: Buffer): void {
    if (!this.#hasMarker(line)) return;
    const row = parseJsonObject(line.toString());
    if (row === null) this.#receiver.unreadable();
    else this.#receiver.row(row);
  }
}
