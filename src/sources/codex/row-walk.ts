import { CLOSED, JsonWalk, namesOf } from '../../lib/json-walk.ts';
import { type Counts, FIELDS } from './counts.ts';

/** Rows that are looked at, by their type; of events, by the payload's. */
export const KINDS = ['session_meta', 'turn_context', 'token_usage_record', 'inter_agent_communication_metadata'];
export const EVENTS = ['token_count', 'task_started', 'thread_settings_applied'];

const [TIMESTAMP, ORDINAL, TYPE, PAYLOAD] = [0, 1, 2, 3];
const ROW = namesOf(['timestamp', 'ordinal', 'type', 'payload']);
const [EVENT_TYPE, INFO] = [0, 1];
const EVENT = namesOf(['type', 'info']);
const [TOTAL, LAST] = [0, 1];
const USAGES = namesOf(['total_token_usage', 'last_token_usage']);
const COUNTS = namesOf(FIELDS);
const EVENT_ROW = KINDS.length;
const TYPES = namesOf([...KINDS, 'event_msg']);
const TOKEN_COUNT = 0;
const EVENT_TYPES = namesOf(EVENTS);

/** A row that tells of the thread's running total, and what its last request used. */
export interface CounterRow {
  readonly timestamp: string;
  readonly ordinal: number | null;
  readonly type: 'event_msg';
  readonly payload: unknown;
  readonly total: Counts | null;
  readonly last: Counts | null;
}

/** Reads rows as Codex writes them, as far as need be: type first, then the payload, whose own type is first. */
export class RowWalk {
  readonly #walk = new JsonWalk();
  #bytes: Buffer = Buffer.alloc(0);
  #timestamp: readonly [start: number, end: number] | null = null;
  #ordinal: number | null = null;
  #isCounter = false;

  /** Whether a row may tell of usage, judged by how it begins; null = that does not say. */
  isOfInterest(bytes: Buffer, start: number, end: number): boolean | null {
    const walk = this.#walk;
    this.#bytes = bytes;
    this.#timestamp = null;
    this.#ordinal = null;
    this.#isCounter = false;
    walk.begin(bytes, start, end);
    walk.enter();
    let type = -1;
    for (let member = walk.next(ROW); member !== CLOSED; member = walk.next(ROW)) {
      if (member === TIMESTAMP) this.#timestamp = this.#span();
      else if (member === ORDINAL) this.#ordinal = walk.count();
      else if (member === TYPE) type = walk.word(TYPES);
      else if (member === PAYLOAD) return type === EVENT_ROW ? this.#isEventOfInterest() : null;
      else walk.skip();
      if (member === TYPE && type !== EVENT_ROW) return walk.lost ? null : type >= 0;
    }
    return null;
  }

  #isEventOfInterest(): boolean | null {
    const walk = this.#walk;
    walk.enter();
    if (walk.next(EVENT) !== EVENT_TYPE) return null;
    const event = walk.word(EVENT_TYPES);
    this.#isCounter = event === TOKEN_COUNT;
    return walk.lost ? null : event >= 0;
  }

  /** The row that was judged last, if it is a counter. What else is in it is not looked at. null = it is for a parser. */
  counter(): CounterRow | null {
    const walk = this.#walk;
    if (!this.#isCounter || this.#timestamp === null || walk.next(EVENT) !== INFO || !walk.enter()) return null;
    if (walk.next(USAGES) !== TOTAL) return null;
    const total = this.#counts();
    if (walk.next(USAGES) !== LAST) return null;
    const last = this.#counts();
    if (walk.lost) return null;
    const timestamp = this.#bytes.toString('latin1', ...this.#timestamp);
    return { timestamp, ordinal: this.#ordinal, type: 'event_msg', payload: { type: 'token_count' }, total, last };
  }

  #counts(): Counts | null {
    const walk = this.#walk;
    const counts: [number, number, number, number, number] = [0, 0, 0, 0, 0];
    if (!walk.enter()) return null;
    for (let member = walk.next(COUNTS); member !== CLOSED; member = walk.next(COUNTS)) {
      if (member < 0) walk.skip();
      else counts[member] = walk.count();
    }
    return counts;
  }

  #span(): readonly [start: number, end: number] | null {
    const start = this.#walk.text();
    return start === 0 ? null : [start, this.#walk.at - 1];
  }
}
