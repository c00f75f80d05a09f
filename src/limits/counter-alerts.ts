import { shownAmount } from '../domain/limits/limit-fields.ts';
import { amountAt, type CounterStatus } from '../domain/limits/limit.ts';
import { isMomentary } from '../domain/limits/refusal.ts';
import { type RefusedSubject, thresholdEpisode } from './alerts.ts';
import type { CounterSeries } from './counter-series.ts';
import type { LimitCounter } from './counter.ts';
import type { RefusalEpisodes } from './refusal-episodes.ts';
import type { RefusedUnderLimit } from './refusal-errors.ts';

/** Receives what is to be alerted about counters. */
export interface CounterAlertObserver {
  /**
   * A counter has reached a threshold of its limit, in percent of the amount; `isLast`: no further values are
   * alerted.
   */
  crossed(standing: CounterStatus, threshold: number, isLast: boolean): void;
  /**
   * A limit refuses calls, and that is to be alerted as this episode; `isLast`: no further values are alerted.
   */
  refused?(refusal: RefusedUnderLimit, subject: RefusedSubject, episode: string, isLast: boolean): void;
}

/** Returns the highest threshold that a count above 0 has reached, in percent of the amount; 0 = none. */
export function passedThreshold(thresholds: readonly number[], counted: number | bigint, amount: number): number {
  let passed = 0;
  for (const threshold of thresholds) if (Number(counted) * 100 >= amount * threshold) passed = threshold;
  return counted >= amount ? 100 : passed;
}

/** Decides when a counter's thresholds and refusals are alerted. */
export class CounterAlerts {
  readonly #observer: CounterAlertObserver;
  readonly #episodes: RefusalEpisodes;

  constructor(observer: CounterAlertObserver, episodes: RefusalEpisodes) {
    this.#observer = observer;
    this.#episodes = episodes;
  }

  /** Notes a call that a limit refused, and alerts that where it is new. */
  noteRefusal(series: CounterSeries, refusal: RefusedUnderLimit, subject: RefusedSubject, now: number): void {
    const { standing, reason, need } = refusal;
    const { keyId, model } = subject;
    const { unit } = standing.limit;
    if (isMomentary(reason) || unit === 'concurrency') return;
    const counter = series.counterNamed(standing.value);
    counter.forgetOtherAmount(now);
    const isUsedUp = counter.isUsedUp(now) || standing.amount === 0;
    const needed = need === null ? null : shownAmount(unit, need);
    if (!this.#episodes.mayNote(standing, isUsedUp, now) || !series.mayAlert(counter)) return;
    const episode = this.#episodes.note(standing, { keyId, model, needed, isUsedUp }, now);
    if (isUsedUp) counter.alertedThreshold = 100;
    this.#observer.refused?.(refusal, subject, episode, series.hasAlertedEnough);
  }

  /** Alerts the thresholds that a counter has passed since the last look. */
  checkThresholds(counter: LimitCounter, now: number): void {
    const { limit, counted } = counter;
    if (counted === 0) return void (counter.alertedThreshold = 0);
    counter.forgetOtherAmount(now);
    const passed = passedThreshold(limit.thresholds, counted, amountAt(limit, now));
    const before = counter.alertedThreshold;
    // The alert that no call fits stays until there is room again.
    if (passed < before && counter.isUsedUp(now)) return;
    counter.alertedThreshold = passed;
    if (passed > before && limit.unit !== 'concurrency') this.#raiseCrossed(counter, passed, now);
  }

  #raiseCrossed(counter: LimitCounter, threshold: number, now: number): void {
    // Observed calls add to these counters, so the ledger alerts their thresholds.
    if (counter.limit.countsObserved || !counter.owner.mayAlert(counter)) return;
    const standing = counter.standing(now);
    if (threshold >= 100) this.#episodes.noteUsedUp(standing, thresholdEpisode(standing, threshold, now), now);
    this.#observer.crossed(standing, threshold, counter.owner.hasAlertedEnough);
  }
}
