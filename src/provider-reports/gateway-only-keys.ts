import type { ReconciledDay } from '../domain/reconciliation/reconcile.ts';
import { FEMTO_PER_NANO } from '../domain/reconciliation/exact-amounts.ts';
import { fitsBounds } from '../domain/reconciliation/share-uncertain.ts';
import type { UnresolvedCalls, UnresolvedReason } from '../domain/reconciliation/unresolved-calls.ts';
import type { ComparedDays } from './compare-days.ts';

type ReconciledLine = ReconciledDay['lines'][number];

/** Calls of uncertain cost, with what the report holds beyond the sure ones: of one provider key, model and day. */
export interface UncertainCell {
  readonly day: number;
  readonly key: string;
  readonly wrappedKeyIds: ReadonlySet<string>;
  readonly model: string | null;
  readonly calls: number;
  readonly rest: ReconciledLine['result'];
  /** nano-USD that they may have cost at most, at the prices that `rest` has. */
  readonly upTo: bigint;
}

/**
 * Which provider keys are used by the gate alone, by the days that are given: none of a key's closed days since it was
 * wrapped has use beyond what its calls may have come to.
 */
export class GatewayOnlyKeys {
  readonly #wrappedOn: ComparedDays['wrappedOn'];
  /** By key: the first day that shows it. */
  readonly #shared = new Map<string, number>();
  /** By key with calls that can't be told: the newest day of such. */
  readonly #untold = new Map<string, UnresolvedCalls>();
  readonly #cells: UncertainCell[] = [];

  constructor(wrappedOn: ComparedDays['wrappedOn']) {
    this.#wrappedOn = wrappedOn;
  }

  /** Cells whose calls can be told. */
  get cells(): readonly UncertainCell[] {
    return this.#cells.filter(({ key }) => !this.#shared.has(key));
  }

  /** By key, why calls of it stay as they are. */
  get unresolved(): ReadonlyMap<string, UnresolvedCalls> {
    const all = new Map(this.#untold);
    for (const key of [...all.keys(), ...this.#cells.map((cell) => cell.key)]) {
      const day = this.#shared.get(key);
      if (day !== undefined) all.set(key, { why: 'shared', day });
    }
    return all;
  }

  /** A closed day. */
  add({ lines }: Pick<ReconciledDay, 'lines'>): void {
    // Use of a model that nobody can price may be that of the lost calls, under another name.
    const unclear = new Set(lines.filter(({ result }) => result.providerCost === null).map(({ line }) => line.key));
    for (const line of lines) {
      const why = this.#addLine(line, unclear.has(line.line.key));
      const { key, unsure } = line.cell;
      if (why !== null && key !== null && unsure.calls > 0) this.#untold.set(key, { why, day: line.line.day });
    }
  }

  /** Why its calls can't be told; null = there are none, or they can. */
  #addLine({ line: { day }, cell, result }: ReconciledLine, isUnclear: boolean): UnresolvedReason | null {
    const { key, model, match, unsure } = cell;
    if (key === null || match !== 'one') return null;
    if (isUnclear) return 'unpriced';
    const wrappedKeyIds = this.#wrappedOn(key, day);
    // Before it was wrapped, it may have been used directly.
    if (!wrappedKeyIds) return 'rewrapped';
    const bounds = { usd: unsure.upTo / FEMTO_PER_NANO, inputTokens: unsure.input, outputTokens: unsure.output };
    const isShared = unsure.calls === 0 ? result.left.length > 0 : !fitsBounds({ ...result, isShort: false }, bounds);
    if (isShared && !this.#shared.has(key)) this.#shared.set(key, day);
    if (isShared) return 'shared';
    if (result.isShort) return 'lacking';
    if (unsure.calls > 0)
      this.#cells.push({ day, key, wrappedKeyIds, model, calls: unsure.calls, rest: result, upTo: bounds.usd });
    return null;
  }
}
