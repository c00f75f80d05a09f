import type { CallAmounts } from '../domain/usage/call.ts';
import type { CounterRef } from '../domain/limits/limit.ts';
import { NO_PLACE } from '../lib/concurrency/slots.ts';
import type { LimitCounter } from './counter.ts';
import type { LimitSubject } from './scope-index.ts';

/** What one call under way has set aside. It ends with its call, never by itself. */
export class Hold {
  place = NO_PLACE;
  readonly subject: LimitSubject;
  readonly need: CallAmounts;
  /** Ledger time of admission: the call belongs to the windows of this instant. */
  readonly startedAt: number;
  readonly counters: LimitCounter[];
  /** How many of `counters` came with limits made after the call began. */
  adopted = 0;
  /** Its end is on its way to the journal. */
  ending = false;
  /** What the call needs at most could only be presumed. */
  presumed = false;
  /** `need` is so many times the bound, for a model that was charged for more than its bound. */
  ratio = 1;

  constructor(subject: LimitSubject, need: CallAmounts, startedAt: number, counters: LimitCounter[]) {
    this.subject = subject;
    this.need = need;
    this.startedAt = startedAt;
    this.counters = counters;
  }

  /** For the call's begin; `concurrency` lives in memory alone. */
  counterRefs(): readonly CounterRef[] {
    return toCounterRefs(this.counters);
  }

  /** For the call's end; undefined = none came. */
  adoptedRefs(): readonly CounterRef[] | undefined {
    return this.adopted === 0 ? undefined : toCounterRefs(this.counters.slice(-this.adopted));
  }
}

const NO_REFS: readonly CounterRef[] = [];

function toCounterRefs(counters: readonly LimitCounter[]): readonly CounterRef[] {
  if (counters.length === 0) return NO_REFS;
  const touches: CounterRef[] = [];
  for (const { limit, period, value } of counters)
    if (limit.unit !== 'concurrency')
      touches.push({ counter: limit.counter, unit: limit.unit, windowStart: period.start, value });
  return touches;
}
