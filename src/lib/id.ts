import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';

/** Crockford's base 32 in lower case: no letters that look alike, and text order is number order. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
/** 50 bits of milliseconds: until the year 37,000. */
const TIME_DIGITS = 10;
/** 60 random bits. */
const RANDOM_DIGITS = 12;
/** 2^20 ids in one millisecond. */
const COUNTER_DIGITS = 4;
const COUNTER_MAX = 32 ** COUNTER_DIGITS - 1;

/** An id such as `key_01jd8x…`: sorts by time, can't be guessed to collide. For records; calls have their own. */
export function newId(prefix: string, clock: Clock): string {
  return `${prefix}_${digits(clock(), TIME_DIGITS)}${randomDigits(RANDOM_DIGITS)}`;
}

/**
 * A source of ids that costs no random numbers per id: time, counter within the millisecond, and a random part
 * drawn once per source, so that two processes, or one before and after a restart, never make the same id.
 * Ids of one source ascend, also while the clock stands still or goes back.
 */
export function createIdSource(prefix: string, clock: Clock): () => string {
  const suffix = randomDigits(RANDOM_DIGITS);
  let time = -1;
  let counter = 0;
  let head = '';
  return () => {
    const now = clock();
    if (now > time || counter >= COUNTER_MAX) {
      time = Math.max(now, time + 1);
      counter = 0;
      head = `${prefix}_${digits(time, TIME_DIGITS)}`;
    } else counter += 1;
    return head + digits(counter, COUNTER_DIGITS) + suffix;
  };
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
