import type { ReconciledDay } from '../domain/reconciliation/reconcile.ts';
import { FEMTO_PER_NANO } from '../domain/reconciliation/exact-amounts.ts';
import { fitsBounds } from '../domain/reconciliation/split-uncertain.ts';
import type { UnresolvedCalls, UnresolvedReason } from '../domain/reconciliation/unresolved-calls.ts';
import type { ComparedDays } from './compare-days.ts';

type ReconciledLine = ReconciledDay['lines'][number];

/** Calls of uncertain cost of one provider key, model and day, with the reported usage beyond the certain calls. */
export interface UncertainCell {
  readonly day: number;
  readonly key: string;
  readonly wrappedKeyIds: ReadonlySet<string>;
  readonly model: string | null;
  readonly calls: number;
  readonly leftover: ReconciledLine['result'];
  /** Maximum cost of the calls in nano-USD, at the prices of `rest`. */
  readonly upTo: bigint;
}

/**
 * Finds the provider keys that only the gateway uses: no closed day of the key since it was wrapped has more usage than
 * its calls may have had.
 */
export class GatewayOnlyKeys {
  readonly #wrappedOn: ComparedDays['wrappedOn'];
  /** First day with other usage, by key. */
  readonly #shared = new Map<string, number>();
  /** Newest day with unresolved calls, by key. */
  readonly #unresolved = new Map<string, UnresolvedCalls>();
  readonly #cells: UncertainCell[] = [];

  constructor(wrappedOn: ComparedDays['wrappedOn']) {
    this.#wrappedOn = wrappedOn;
  }

  /** Cells whose calls can be resolved. */
  get cells(): readonly UncertainCell[] {
    return this.#cells.filter(({ key }) => !this.#shared.has(key));
  }

  /** Reason why the calls of a key stay uncertain, by key. */
  get unresolved(): ReadonlyMap<string, UnresolvedCalls> {
    const all = new Map(this.#unresolved);
    for (const key of [...all.keys(), ...this.#cells.map((cell) => cell.key)]) {
      const day = this.#shared.get(key);
      if (day !== undefined) all.set(key, { why: 'shared', day });
    }
    return all;
  }

  /** Adds a closed day. */
  add({ lines }: Pick<ReconciledDay, 'lines'>): void {
    // Usage of a model without a price may be that of the uncertain calls, under another name.
    const unclear = new Set(lines.filter(({ result }) => result.providerCost === null).map(({ line }) => line.key));
    for (const line of lines) {
      const why = this.#addLine(line, unclear.has(line.line.key));
      const { key, unsure } = line.cell;
      if (why !== null && key !== null && unsure.calls > 0) this.#unresolved.set(key, { why, day: line.line.day });
    }
  }

  /** Returns why the calls stay uncertain; null = there are none, or they can be resolved. */
  #addLine({ line: { day }, cell, result }: ReconciledLine, isUnclear: boolean): UnresolvedReason | null {
    const { key, model, match, unsure } = cell;
    if (key === null || match !== 'one') return null;
    if (isUnclear) return 'unpriced';
    const wrappedKeyIds = this.#wrappedOn(key, day);
    // Before the key was wrapped, it may have been used directly.
    if (!wrappedKeyIds) return 'rewrapped';
    const bounds = { usd: unsure.upTo / FEMTO_PER_NANO, inputTokens: unsure.input, outputTokens: unsure.output };
    const isShared = unsure.calls === 0 ? result.left.length > 0 : !fitsBounds({ ...result, isShort: false }, bounds);
    if (isShared && !this.#shared.has(key)) this.#shared.set(key, day);
    if (isShared) return 'shared';
    if (result.isShort) return 'lacking';
    if (unsure.calls > 0)
      this.#cells.push({ day, key, wrappedKeyIds, model, calls: unsure.calls, leftover: result, upTo: bounds.usd });
    return null;
  }
}
