import type { Alert } from '../../src/domain/alerts/alert.ts';
import { amountAt, type Limit } from '../../src/domain/limits/limit.ts';
import type { OverrunSubject } from '../../src/limits/overruns.ts';
import { inUnit, MEASURED, type TrueCall } from './true-call.ts';
import { must } from './violation.ts';

/** A model, with the name it is priced under where that is known. */
type SpelledModel = OverrunSubject & { readonly pricedModel?: string | null };

/** A limit is used up when so much of it is and a call doesn't fit. */
const USED_UP_PER_CENT = 95;

/** What people must be told, and what they were. */
export class TrueAlerts {
  /** By how much calls of a model passed their bound, as long as nobody has acknowledged it … */
  readonly #ratios = new Map<string, number>();
  /** … and what alerts say of that. */
  readonly #alerted = new Map<string, number>();
  /** Counters that moved in this step. */
  readonly #moved = new Set<string>();
  /** The highest threshold that was told, since this process is there. */
  readonly #thresholds = new Map<string, number>();

  ratioOf(model: SpelledModel): number {
    return this.#ratios.get(modelKey(model)) ?? 1;
  }

  /** A new process knows of these alerts, which nobody has read. */
  loaded(overruns: Iterable<SpelledModel & { readonly ratio: number }>): void {
    this.#moved.clear();
    this.#thresholds.clear();
    this.#ratios.clear();
    for (const overrun of overruns) {
      this.#ratios.set(modelKey(overrun), overrun.ratio);
      this.#alerted.set(modelKey(overrun), overrun.ratio);
    }
  }

  acknowledged(model: SpelledModel): void {
    this.#ratios.delete(modelKey(model));
    this.#alerted.delete(modelKey(model));
  }

  /** Did it pass what it had set aside? */
  settled({ subject, need, first, presumed, isSent, ratio }: TrueCall): void {
    const counted = first?.counted;
    if (!counted || presumed || !isSent) return;
    let passed = 1;
    for (const unit of MEASURED) {
      const [came, held] = [inUnit(unit, counted), inUnit(unit, need)];
      if (held > 0 && !(unit === 'usd' && need.usd === null)) passed = Math.max(passed, came / held);
    }
    if (passed > 1) this.#ratios.set(modelKey(subject), Math.max(passed * ratio, this.ratioOf(subject)));
  }

  moved(key: string): void {
    this.#moved.add(key);
  }

  /** The book's counter is in memory again: what it passed meanwhile is told with its next call. */
  reloaded(key: string): void {
    this.#moved.delete(key);
  }

  overran(model: SpelledModel, ratio: number): void {
    this.#alerted.set(modelKey(model), ratio);
  }

  /** An alert says that a counter has passed a threshold, in per cent. */
  passed(key: string, threshold: number, counted: number, amount: number): void {
    const least = threshold >= 100 ? USED_UP_PER_CENT : threshold;
    must(counted * 100 >= amount * least, () => `alert: ${key} has ${counted} of ${amount}, not ${threshold} %`);
    this.#thresholds.set(key, Math.max(threshold, this.#thresholds.get(key) ?? 0));
  }

  /** Amounts of raises that ended pass thresholds with the next call only. */
  checkStanding(limit: Limit, key: string, counted: number): void {
    if (!this.#moved.has(key) || limit.raise || limit.unit === 'concurrency' || counted <= 0) return;
    const amount = amountAt(limit, 0);
    const passed = [...limit.thresholds, 100].findLast((threshold) => counted * 100 >= amount * threshold) ?? 0;
    const found = this.#thresholds.get(key) ?? 0;
    must(found >= passed, () => `alert: ${key} has passed ${passed} %, and ${found} % was told`);
  }

  check(): void {
    this.#moved.clear();
    for (const [model, ratio] of this.#ratios)
      must(
        (this.#alerted.get(model) ?? 0) >= ratio,
        () => `alert: calls to ${model} came to ${ratio} of their bound, untold`,
      );
  }
}

/** Spellings of one model share its ratio. */
function modelKey({ workspaceId, provider, model, pricedModel }: SpelledModel): string {
  return `${workspaceId} ${provider} ${pricedModel ?? model}`;
}

/** Which counter an alert of a limit speaks of. */
export function readThreshold({ type, episode, scope, evidence }: Alert): {
  readonly limit: string;
  readonly threshold: number;
  readonly value: string;
  readonly windowStart: number;
} | null {
  if (type !== 'BUDGET_WARNING' && type !== 'BUDGET_EXCEEDED' && type !== 'RATE_LIMIT') return null;
  const [, limit = '', threshold] = episode.split(':');
  const { value = '' } = scope;
  return { limit, threshold: Number(threshold), value, windowStart: Number(evidence['windowStart']) };
}
