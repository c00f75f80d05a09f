import type { StreamCostForm } from '../../providers/provider.ts';

/** Facts for the event that carries the cost. */
export interface CostedStream {
  /** Dollars; null = not known, so that nothing is added. */
  readonly costUsd: string | null;
  readonly responseId: string;
  readonly model: string;
  /** Epoch ms. */
  readonly startedAt: number;
}

const NOTHING = Buffer.alloc(0);
const CLOSING_BRACE = 0x7d;
const LF = 0x0a;
const CR = 0x0d;
const DONE_LINES = ['data: [DONE]', 'data:[DONE]'] as const;
/** The mark with the line break before it, and those behind it but for the last byte. */
const TORN_DONE_BYTES_MAX = 16;
const LAST_LINE = /(?:^|[\r\n])([^\r\n]*)((?:\r\n|\r|\n)?\r?)$/;
/** End of a piece that may tear an event between its last brace and its blank line. */
const TORN_END = /\}(?:\r\n\r|\r\n|\r|\n)?$/;
const TORN_END_BYTES_MAX = 4;
/** Start of the usage in an event of Google. In a text of the model, its quotes would have backslashes. */
const USAGE_METADATA = /(?<!\\)"usageMetadata"\s*:\s*\{/g;
const BLANK_LINES = ['\n\n', '\r\n\r\n'] as const;
/** Larger events are passed in parts. */
const EVENT_BYTES_MAX = 65_536;

/**
 * Adds the cost of a call to the end of its stream, for clients that ask for it. All bytes before that place pass
 * unchanged and immediately; the others wait until the cost is known.
 */
export class StreamCost {
  readonly #form: StreamCostForm;
  #held: Buffer = NOTHING;
  /** The cost belongs before the held bytes. */
  #isAtPlace = false;

  constructor(form: StreamCostForm) {
    this.#form = form;
  }

  /** The place of the cost has been read: nothing more is sent before `end`. */
  get isAtPlace(): boolean {
    return this.#isAtPlace;
  }

  /**
   * Returns the bytes that can be sent now.
   * @param isComplete the last event of the stream has been read, in this piece or an earlier one
   */
  pass(piece: Uint8Array, isComplete: boolean): Uint8Array {
    const bytes = this.#held.length === 0 ? toBuffer(piece) : Buffer.concat([this.#held, piece]);
    if (this.#isAtPlace) {
      this.#held = bytes;
      return NOTHING;
    }
    const place = isComplete ? this.#findPlace(bytes) : -1;
    this.#isAtPlace = place >= 0;
    const until = place >= 0 ? place : this.#findTorn(bytes);
    this.#held = bytes.subarray(until);
    return bytes.subarray(0, until);
  }

  /** Returns the held bytes, with the cost if it is known and has a place. */
  end(stream: CostedStream): Uint8Array {
    if (!this.#isAtPlace || stream.costUsd === null) return this.#held;
    return Buffer.concat([Buffer.from(this.#render(stream.costUsd, stream)), this.#held]);
  }

  #findPlace(bytes: Buffer): number {
    switch (this.#form) {
      case 'last_event':
        return findLastBrace(bytes);
      case 'last_chunk':
        return Math.max(...DONE_LINES.map((line) => bytes.lastIndexOf(line)));
      case 'usage_metadata': {
        const match = [...bytes.toString('latin1').matchAll(USAGE_METADATA)].at(-1);
        return match ? match.index + match[0].length : -1;
      }
    }
  }

  /** Finds the first byte that could belong behind the cost. */
  #findTorn(bytes: Buffer): number {
    switch (this.#form) {
      case 'last_event': {
        const end = bytes.toString('latin1', Math.max(0, bytes.length - TORN_END_BYTES_MAX));
        return bytes.length - (TORN_END.exec(end)?.[0].length ?? 0);
      }
      case 'last_chunk':
        return findTornDone(bytes);
      case 'usage_metadata': {
        const ends = BLANK_LINES.map((line) => ({ at: bytes.lastIndexOf(line), length: line.length }));
        const start = Math.max(0, ...ends.map(({ at, length }) => (at < 0 ? 0 : at + length)));
        return bytes.length - start > EVENT_BYTES_MAX ? bytes.length : start;
      }
    }
  }

  #render(costUsd: string, { responseId, model, startedAt }: CostedStream): string {
    if (this.#form === 'last_event') return `,"svc_cost_usd":${costUsd}`;
    if (this.#form === 'usage_metadata') return `"svc_cost_usd":${costUsd},`;
    const created = Math.floor(startedAt / 1_000);
    const chunk = { id: responseId, object: 'chat.completion.chunk', created, model, choices: [] };
    return `data: ${JSON.stringify(chunk).slice(0, -1)},"svc_cost_usd":${costUsd}}\n\n`;
  }
}

/** Finds the brace that closes the data of the last event; −1 = there is none. */
function findLastBrace(bytes: Buffer): number {
  for (let at = bytes.length - 1; at >= 0; at -= 1) {
    if (bytes[at] !== CLOSING_BRACE) continue;
    const next = bytes[at + 1];
    if (next === undefined || next === LF || next === CR) return at;
  }
  return -1;
}

/** Finds the start of a last line that is the mark `[DONE]`, or may become it. Its blank line may follow in the next piece. */
function findTornDone(bytes: Buffer): number {
  const { length } = bytes;
  const from = Math.max(0, length - TORN_DONE_BYTES_MAX);
  const last = LAST_LINE.exec(bytes.toString('latin1', from));
  if (!last) return length;
  const [match, line = '', lineBreak = ''] = last;
  // The line may have begun before the bytes that were read.
  const isWhole = from === 0 || last.index > 0 || match.length > line.length + lineBreak.length;
  const isTorn = lineBreak === '' && line !== '' && DONE_LINES.some((done) => done.startsWith(line));
  const isMark = DONE_LINES.some((done) => done === line);
  return isWhole && (isTorn || isMark) ? length - line.length - lineBreak.length : length;
}

function toBuffer(piece: Uint8Array): Buffer {
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}
