import { CLOSED, indexNames, JsonWalk } from '../../lib/json/walk.ts';
import { COUNT_FIELDS, type UsageCounts } from './counters.ts';

/** Members that may name the model, by precedence. In `metadata` it is the member `model`. */
export const MODEL_FIELDS = ['model', 'model_name', 'metadata'] as const;

/** Types of relevant rows. Events have their type in the payload. */
export const KINDS = [
  'session_meta',
  'turn_context',
  'token_usage_record',
  'inter_agent_communication_metadata',
  'turn.completed',
];
export const EVENTS = ['token_count', 'task_started', 'thread_settings_applied'];

const [TIMESTAMP, ORDINAL, TYPE, PAYLOAD] = [0, 1, 2, 3];
const ROW = indexNames(['timestamp', 'ordinal', 'type', 'payload']);
const [EVENT_TYPE, INFO] = [0, 1];
const EVENT = indexNames(['type', 'info', ...MODEL_FIELDS]);
const FIRST_MODEL_OF_EVENT = 2;
const [TOTAL, LAST] = [0, 1];
const INFO_FIELDS = indexNames(['total_token_usage', 'last_token_usage', ...MODEL_FIELDS]);
const FIRST_MODEL_OF_INFO = 2;
const METADATA = MODEL_FIELDS.indexOf('metadata');
const MODEL = indexNames(['model']);
const COUNTER = { type: 'token_count' } as const;
const COUNTS = indexNames(COUNT_FIELDS);
const EVENT_ROW = KINDS.length;
const TYPES = indexNames([...KINDS, 'event_msg']);
const TOKEN_COUNT = 0;
const EVENT_TYPES = indexNames(EVENTS);

/** Row with the running total of the thread and the usage of its last request. */
export interface CounterRow {
  readonly timestamp: string;
  readonly ordinal: number | null;
  readonly type: 'event_msg';
  readonly payload: unknown;
  readonly total: UsageCounts | null;
  readonly last: UsageCounts | null;
  /** Limit of the row, if the last request is unknown. Limits may have separate counters. */
  readonly lane: string | null;
  readonly model: string | null;
}

/** Reads rows in the order in which Codex writes them, only as far as needed: first the type, then the payload's type. */
export class RolloutRowWalk {
  readonly #walk = new JsonWalk();
  #bytes: Buffer = Buffer.alloc(0);
  #timestamp: readonly [start: number, end: number] | null = null;
  #ordinal: number | null = null;
  #isCounter = false;
  /** Model names by precedence. */
  readonly #models: (string | null)[] = [];

  /** Returns whether a row may have usage, judged by its start; null = undecided. */
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

  /**
   * Reads the row that was judged last as a counter; null = it is not a counter, or needs the parser.
   *
   * @param wantsModel also reads the rest of the row for the model
   */
  counter(wantsModel: boolean): CounterRow | null {
    const walk = this.#walk;
    if (!this.#isCounter || this.#timestamp === null || walk.next(EVENT) !== INFO || !walk.enter()) return null;
    if (walk.next(INFO_FIELDS) !== TOTAL) return null;
    const total = this.#counts();
    if (walk.next(INFO_FIELDS) !== LAST) return null;
    const last = this.#counts();
    const model = wantsModel ? this.#modelInRest() : null;
    if (walk.lost || total === null || last === null) return null;
    const timestamp = this.#bytes.toString('latin1', ...this.#timestamp);
    return { timestamp, ordinal: this.#ordinal, type: 'event_msg', payload: COUNTER, total, last, lane: null, model };
  }

  #modelInRest(): string | null {
    this.#models.length = 0;
    this.#restOfInfo();
    this.#restOfEvent();
    return this.#models.find((name) => typeof name === 'string') ?? null;
  }

  #restOfInfo(): void {
    const walk = this.#walk;
    for (let member = walk.next(INFO_FIELDS); member !== CLOSED; member = walk.next(INFO_FIELDS))
      if (member >= FIRST_MODEL_OF_INFO) this.#readModel(member - FIRST_MODEL_OF_INFO, 0);
      else if (member < 0) walk.skip();
      else walk.lost = true;
  }

  #restOfEvent(): void {
    const walk = this.#walk;
    for (let member = walk.next(EVENT); member !== CLOSED; member = walk.next(EVENT))
      if (member >= FIRST_MODEL_OF_EVENT) this.#readModel(member - FIRST_MODEL_OF_EVENT, MODEL_FIELDS.length);
      else if (member < 0) walk.skip();
      else walk.lost = true;
  }

  /** Reads a model name. Names in `info` take precedence over those of the event. */
  #readModel(field: number, offset: number): void {
    this.#models[offset + field] = field === METADATA ? this.#metadata() : this.#text();
  }

  #metadata(): string | null {
    const walk = this.#walk;
    let model: string | null = null;
    if (!walk.enter()) return null;
    for (let member = walk.next(MODEL); member !== CLOSED; member = walk.next(MODEL))
      if (member === 0) model = this.#text();
      else walk.skip();
    return model;
  }

  #text(): string | null {
    const span = this.#span();
    return span === null || span[0] === span[1] ? null : this.#bytes.toString('latin1', ...span);
  }

  #counts(): UsageCounts | null {
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
