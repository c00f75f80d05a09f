import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';

/** Crockford's base 32 in lower case: no letters that look alike, and text order is number order. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
/** 50 bits of milliseconds: until the year 37,000. */
const TIME_DIGITS = 10;
/** 60 random bits of a source of call ids. */
const SOURCE_DIGITS = 12;
/** 2^20 calls in one millisecond. */
const CALL_COUNTER_DIGITS = 4;
/** 2^15 records in one millisecond. */
const RECORD_COUNTER_DIGITS = 3;
/**
 * 45 random bits per record: two processes in the same millisecond make different ids, and ids cannot be enumerated.
 */
const RECORD_DIGITS = 9;

/** One position per clock: ids of the same clock ascend, with all prefixes. */
const positions = new WeakMap<Clock, IdPosition>();

/**
 * Returns the id of a new record, such as `key_01jd8x…`. Ids of one process sort in the order in which they were made,
 * also within a millisecond. An id is no secret: it opens nothing. Calls have their own ids.
 */
export function newId(prefix: string, clock: Clock): string {
  const position = positions.get(clock) ?? new IdPosition(RECORD_COUNTER_DIGITS);
  positions.set(clock, position);
  position.advance(clock());
  return `${prefix}_${digits(position.time, TIME_DIGITS)}${position.counterText()}${randomDigits(RECORD_DIGITS)}`;
}

/** Returns the time at which a record's id was made, epoch milliseconds. */
export function readIdTime(id: string): number {
  const text = id.slice(id.indexOf('_') + 1).slice(0, TIME_DIGITS);
  let time = 0;
  for (const digit of text) time = time * DIGITS.length + DIGITS.indexOf(digit);
  return time;
}

/**
 * Returns a source of ids that costs no random numbers per id: time, counter within the millisecond, and a random part
 * drawn once per source, so that two processes, or one before and after a restart, never make the same id.
 * Ids of one source ascend, also while the clock stays or goes back.
 */
export function createIdSource(prefix: string, clock: Clock): () => string {
  const suffix = randomDigits(SOURCE_DIGITS);
  const position = new IdPosition(CALL_COUNTER_DIGITS);
  let head = '';
  return () => {
    if (position.advance(clock())) head = `${prefix}_${digits(position.time, TIME_DIGITS)}`;
    return head + position.counterText() + suffix;
  };
}

/** A millisecond and a counter within it, which only go forward. */
class IdPosition {
  time = -1;
  #counter = 0;
  readonly #counterDigits: number;
  readonly #counterMax: number;

  constructor(counterDigits: number) {
    this.#counterDigits = counterDigits;
    this.#counterMax = 32 ** counterDigits - 1;
  }

  /** Goes one step forward; returns whether it reached another millisecond, which a full counter does ahead of the clock. */
  advance(now: number): boolean {
    const isNew = now > this.time || this.#counter >= this.#counterMax;
    this.#counter = isNew ? 0 : this.#counter + 1;
    if (isNew) this.time = Math.max(now, this.time + 1);
    return isNew;
  }

  counterText(): string {
    return digits(this.#counter, this.#counterDigits);
  }
}

function digits(value: number, length: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < length; i += 1) {
    text = DIGITS.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** 32 divides 256: every digit is equally likely. */
function randomDigits(length: number): string {
  return Array.from(randomBytes(length), (byte) => DIGITS.charAt(byte % 32)).join('');
}
