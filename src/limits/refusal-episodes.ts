import { shownAmount } from '../domain/limits/limit-fields.ts';
import type { CounterStatus } from '../domain/limits/limit.ts';
import type { CallAmounts } from '../domain/usage/call.ts';
import { amountIn } from '../domain/limits/counting.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';
import type { LimitCounter } from './counter.ts';
import type { LimitSubject } from './scope-index.ts';

/** Values of one limit with an episode; further values are not alerted until an episode is old. */
const VALUES_PER_LIMIT_MAX = 1_000;
/** Part of a value that an episode keeps. */
const VALUE_CHARS_MAX = 100;

/** The refused call that an alert names. */
export interface AlertedRefusal {
  readonly keyId: string;
  readonly model: string;
  /** Amount as shown, in the limit's unit; null = unknown. */
  readonly needed: number | null;
  /** Nearly nothing was left. */
  readonly isUsedUp: boolean;
}

/** A limit that refuses calls of one value, from its alert on. */
export interface RefusalEpisode {
  readonly workspaceId: string;
  readonly limitId: string;
  readonly value: string;
  readonly windowStart: number;
  /** Time of its alert. */
  readonly at: number;
  /** Episode of its alert. */
  readonly episode: string;
  /** null = the alert only says that the limit is used up. */
  readonly refusal: AlertedRefusal | null;
  /** No call like the refused one has passed since. */
  readonly isOpen: boolean;
}

/** Reports whether a limit only slows calls down. */
export function slowsDown({ limit }: Pick<CounterStatus, 'limit'>): boolean {
  return limit.window === 'minute' || (limit.window === 'hour' && limit.unit !== 'usd');
}

/**
 * Decides when a limit that refuses calls is alerted, and when that is over. At most one alert an hour for each limit
 * and value; in one window one, unless the limit was not used up before and is now.
 */
export class RefusalEpisodes {
  /** Episodes by limit and value; the oldest of a limit first. */
  readonly #limits = new Map<string, Map<string, RefusalEpisode>>();

  load(episodes: readonly RefusalEpisode[]): void {
    for (const episode of episodes.toSorted((a, b) => a.at - b.at)) this.#put(episode);
  }

  /** Learns of an alert of any node, or of its end. */
  learn(episode: RefusalEpisode, now: number): void {
    const { limitId, value, at } = episode;
    const known = this.#find(limitId, value);
    const isNews = !known || known.episode === episode.episode || known.at < at;
    if (isNews && this.#hasRoom(limitId, value, now)) this.#put(episode);
  }

  /** Notes the alert that a limit is used up. */
  noteUsedUp({ limit, value, windowStart }: CounterStatus, episode: string, now: number): void {
    const { id: limitId, workspaceId } = limit;
    if (this.#hasRoom(limitId, value, now))
      this.#put({ workspaceId, limitId, value, windowStart, at: now, episode, refusal: null, isOpen: true });
  }

  /** Reports whether a refusal is to be alerted: it is not alerted yet. */
  mayNote(standing: CounterStatus, isUsedUp: boolean, now: number): boolean {
    const { limit, value, windowStart } = standing;
    const known = this.#find(limit.id, value);
    if (!known) return this.#hasRoom(limit.id, value, now);
    const isSameWindow = known.windowStart === windowStart;
    if (isRecent(known, standing, now)) return isSameWindow && known.refusal === null;
    const lasts = known.isOpen && isSameWindow && known.refusal !== null;
    return !lasts || (isUsedUp && !known.refusal.isUsedUp);
  }

  /**
   * Notes the refusal that is alerted. Returns its episode: an alert of the last hour that the limit is used up keeps
   * its own, and takes the text of the refusal.
   */
  note(standing: CounterStatus, refusal: AlertedRefusal, now: number): string {
    const { limit, value, windowStart } = standing;
    const { id: limitId, workspaceId } = limit;
    const known = this.#find(limitId, value);
    const [episode, at] =
      known && isRecent(known, standing, now)
        ? [known.episode, known.at]
        : [`refused:${limitId}:${windowStart}:${roundDown(now, standing)}:${value}`, now];
    this.#put({ workspaceId, limitId, value, windowStart, at, episode, refusal, isOpen: true });
    return episode;
  }

  /** Ends the episodes of counters under which a call like the refused one was admitted. */
  passed(counters: readonly LimitCounter[], subject: LimitSubject, need: CallAmounts): readonly RefusalEpisode[] {
    if (this.#limits.size === 0) return NONE;
    const ended: RefusalEpisode[] = [];
    for (const { limit, value } of counters) {
      const known = this.#find(limit.id, value);
      if (!known?.isOpen || !known.refusal) continue;
      const { needed, keyId, model } = known.refusal;
      const isAlike =
        needed === null
          ? keyId === subject.keyId && model === subject.model
          : shownAmount(limit.unit, amountIn(limit.unit, need)) >= needed;
      if (!isAlike) continue;
      this.#limits.get(limit.id)?.set(keptValue(value), { ...known, isOpen: false });
      ended.push(known);
    }
    return ended;
  }

  /** Forgets a limit that was removed. */
  forget(limitId: string): void {
    this.#limits.delete(limitId);
  }

  #find(limitId: string, value: string): RefusalEpisode | undefined {
    return this.#limits.get(limitId)?.get(keptValue(value));
  }

  /** Drops the oldest episode of a limit that has as many as it may, once that is a day old. */
  #hasRoom(limitId: string, value: string, now: number): boolean {
    const values = this.#limits.get(limitId);
    if (!values || values.size < VALUES_PER_LIMIT_MAX || values.has(keptValue(value))) return true;
    const [oldest] = values.values();
    if (!oldest || now - oldest.at < DAY_MS) return false;
    return values.delete(keptValue(oldest.value));
  }

  #put(episode: RefusalEpisode): void {
    const values = this.#limits.get(episode.limitId) ?? new Map<string, RefusalEpisode>();
    const value = keptValue(episode.value);
    values.delete(value);
    this.#limits.set(episode.limitId, values.set(value, episode));
  }
}

/** Reports whether the limit was alerted within the hour; one that only slows calls down, within the day. */
function isRecent({ at }: RefusalEpisode, standing: CounterStatus, now: number): boolean {
  return now - at < leastInterval(standing);
}

/** Returns the least time between two alerts. */
function leastInterval(standing: CounterStatus): number {
  return slowsDown(standing) ? DAY_MS : HOUR_MS;
}

/** Nodes that alert the same at the same moment name the same episode, which is stored once. */
function roundDown(now: number, standing: CounterStatus): number {
  const interval = leastInterval(standing);
  return Math.floor(now / interval) * interval;
}

const NONE: readonly RefusalEpisode[] = [];

function keptValue(value: string): string {
  return value.slice(0, VALUE_CHARS_MAX);
}
