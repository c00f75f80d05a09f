import type { CallAmounts, CallEnd } from '../../src/domain/usage/call.ts';
import type { LimitUnit } from '../../src/domain/limits/limit.ts';
import type { Hold } from '../../src/limits/hold.ts';
import type { LimitSubject } from '../../src/limits/scope-index.ts';
import type { ProvidedCall, Request } from './provider.ts';

/** A counter as the simulation knows it: which limit's, of which window and value. */
export interface CounterPlace {
  readonly counter: number;
  readonly unit: LimitUnit;
  readonly windowStart: number;
  readonly value: string;
}

export function placeKey({ counter, windowStart, value }: Omit<CounterPlace, 'unit'>): string {
  return `${counter} ${windowStart} ${value}`;
}

interface Counted {
  readonly counted: CallAmounts | null;
  readonly uncertain: CallAmounts | null;
}

/** What happened to a call, whatever the product believes. Limits with their places are found by number. */
export class TrueCall {
  readonly id: string;
  readonly subject: LimitSubject;
  readonly request: Request;
  readonly need: CallAmounts;
  readonly startedAt: number;
  /** What it comes to at most could only be presumed. */
  readonly presumed: boolean;
  /** `need` is so many times its bound. */
  readonly ratio: number;
  /** `open`: admitted; `gone`: it never began. */
  state: 'open' | 'over' | 'gone' = 'open';
  /** null = nothing was sent. */
  provided: ProvidedCall | null = null;
  end: CallEnd | null = null;
  /** What it counts by now, corrections included … */
  counted: CallAmounts | null = null;
  uncertain: CallAmounts | null = null;
  /** … and what it did by its end alone. */
  first: Counted | null = null;
  isShipped = false;
  /** Places where its uncertain part counts no more. */
  readonly released = new Set<string>();
  /** Somebody said that it came to something else than the bill. */
  isCorrected = false;
  /** Places it counts under in the gateway's memory … */
  readonly places = new Map<string, CounterPlace>();
  /** … those that its begin names … */
  readonly begunCounters = new Map<string, CounterPlace>();
  /** … and those that the book counts it under. */
  readonly recorded = new Map<string, CounterPlace>();

  constructor(id: string, hold: Pick<Hold, 'subject' | 'need' | 'startedAt' | 'presumed' | 'ratio'>, request: Request) {
    this.id = id;
    this.subject = hold.subject;
    this.need = hold.need;
    this.startedAt = hold.startedAt;
    this.presumed = hold.presumed;
    this.ratio = hold.ratio;
    this.request = request;
  }

  get isSent(): boolean {
    return this.end?.outcome !== 'not_sent';
  }

  /** In a unit: what was charged so far, and no more than is held or counted where passing it was injected. */
  billIn(unit: LimitUnit, counted = this.countedIn(unit)): number {
    if (!this.provided) return 0;
    const { bill, passesBound } = this.provided;
    const charged = inUnit(unit, bill);
    if (this.state !== 'over') return passesBound ? Math.min(charged, inUnit(unit, this.need)) : charged;
    return passesBound || this.isCorrected ? Math.min(charged, counted) : charged;
  }

  countedIn(unit: LimitUnit, { counted }: Counted = this): number {
    return counted && this.isSent && unit !== 'concurrency' ? inUnit(unit, counted) : 0;
  }

  uncertainIn(unit: LimitUnit, { uncertain }: Counted = this): number {
    if (!uncertain || !this.isSent || unit === 'concurrency' || unit === 'calls') return 0;
    return Math.max(0, inUnit(unit, uncertain));
  }
}

/** Units in which a call has a bound. */
export const MEASURED = ['usd', 'input_tokens', 'output_tokens'] as const;

export function inUnit(unit: LimitUnit, { usd, inputTokens, outputTokens }: CallAmounts): number {
  if (unit === 'usd') return usd ?? 0;
  if (unit === 'input_tokens') return inputTokens;
  if (unit === 'output_tokens') return outputTokens;
  return unit === 'tokens' ? inputTokens + outputTokens : 1;
}
