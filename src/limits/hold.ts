import type { CallAmounts } from '../domain/usage/call.ts';
import type { CounterRef } from '../domain/limits/limit.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import type { AgentNode } from './agent-tree.ts';
import { NO_PLACE } from '../lib/concurrency/slots.ts';
import type { LimitCounter } from './counter.ts';
import type { LimitSubject } from './scope-index.ts';

const NO_CARDS: readonly RateCard[] = [];

/** The amounts that one open call sets aside. A hold ends with its call, never by itself. */
export class Hold {
  place = NO_PLACE;
  readonly subject: LimitSubject;
  readonly need: CallAmounts;
  /** Window time of admission: the call belongs to the windows of this instant. */
  readonly startedAt: number;
  readonly counters: LimitCounter[];
  /** Number of `counters` that belong to limits created after the call began. */
  adopted = 0;
  /** The agent of the call, where a limit counts agents. */
  agent: AgentNode | null = null;
  /** The call's end is being written to the journal. */
  ending = false;
  /** The call has no bound, so `need` includes the amount that its key's policy assumes. */
  presumed = false;
  /** Endpoints above the listed price may serve the call, so `need` does not bound its dollars. */
  hasOpenPrice = false;
  /** Factor by which `need` exceeds the bound, for a model that was charged more than its bound. */
  ratio = 1;
  /** The same of dollars, which may also be scaled by what the provider stated. */
  usdRatio = 1;
  /** Prices of the model that was asked. */
  cards: readonly RateCard[] = NO_CARDS;

  constructor(subject: LimitSubject, need: CallAmounts, startedAt: number, counters: LimitCounter[]) {
    this.subject = subject;
    this.need = need;
    this.startedAt = startedAt;
    this.counters = counters;
  }

  /** Counters that the call's begin names. `concurrency` is counted in memory only. */
  counterRefs(): readonly CounterRef[] {
    return toCounterRefs(this.counters);
  }

  /** Counters that the call's end adds; undefined = none. */
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
