import type { PickNode } from '../lib/json/pick.ts';
import type { UsageTally } from './answer-tally.ts';
import { StreamReader } from './usage-reader.ts';

/** Larger events are forwarded before their end. Events to remove are always small. */
const HELD_BYTES_MAX = 65_536;
const NOTHING = new Uint8Array(0);

/**
 * Reads a stream and removes single events from the output. Whole events pass unchanged. An event that is split over several
 * pieces is held until its end, which delays no client, because clients act on whole events.
 */
export class TrimmingReader extends StreamReader {
  readonly #cuts: () => boolean;
  #out: Uint8Array[] = [];
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** The current event is too long to hold and is being forwarded. */
  #passing = false;
  #piece: Uint8Array = NOTHING;
  /** `piece[from, eventStart)` can be forwarded. The current event follows. */
  #from = 0;
  #eventStart = 0;

  /** @param cuts called at the end of an event; true removes it */
  constructor(plan: PickNode, tally: UsageTally, cuts: () => boolean) {
    super(plan, tally);
    this.#cuts = cuts;
  }

  override push(piece: Uint8Array): void {
    this.#piece = piece;
    this.#from = 0;
    this.#eventStart = 0;
    super.push(piece);
    this.#handOn(this.#from, this.#eventStart);
    this.#hold(this.#eventStart);
  }

  override end(): void {
    this.#piece = NOTHING;
    this.#from = 0;
    this.#eventStart = 0;
    super.end();
    this.#release();
  }

  override dispatch(name: string, at: number): void {
    if (this.#cuts() && !this.#passing) {
      this.#handOn(this.#from, this.#eventStart);
      this.#held = [];
      this.#heldBytes = 0;
      this.#from = at;
    } else this.#release();
    this.#passing = false;
    this.#eventStart = at;
    super.dispatch(name, at);
  }

  takeOutput(): Uint8Array[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #handOn(start: number, end: number): void {
    if (start >= end) return;
    const whole = start === 0 && end === this.#piece.length;
    this.#out.push(whole ? this.#piece : this.#piece.subarray(start, end));
  }

  #hold(start: number): void {
    const rest = this.#piece.subarray(start);
    this.#piece = NOTHING;
    if (rest.length === 0) return;
    this.#heldBytes += rest.length;
    this.#passing ||= this.#heldBytes > HELD_BYTES_MAX;
    if (this.#passing) {
      this.#release();
      this.#out.push(rest);
    } else this.#held.push(rest.slice());
  }

  #release(): void {
    this.#out.push(...this.#held);
    this.#held = [];
    this.#heldBytes = 0;
  }
}
