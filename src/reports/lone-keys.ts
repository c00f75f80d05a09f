import type { ReconciledDay } from '../core/reconcile.ts';
import { FEMTO_PER_NANO } from '../core/reconcile/femto.ts';
import { fits } from '../core/reconcile/share-uncertain.ts';
import type { ComparedDays } from './compare-days.ts';

type Line = ReconciledDay['lines'][number];

/** Calls of uncertain cost, with what the report holds beyond the sure ones: of one provider key, model and day. */
export interface UncertainCell {
  readonly day: number;
  readonly key: string;
  readonly wrappedKeyIds: ReadonlySet<string>;
  readonly model: string | null;
  readonly calls: number;
  readonly rest: Line['result'];
  /** nano-USD that they may have cost at most, at the prices that `rest` has. */
  readonly upTo: bigint;
}

/**
 * Which provider keys are used by the gate alone, by the days that are given: none of a key's closed days since it was
 * wrapped has use beyond what its calls may have come to.
 */
export class LoneKeys {
  readonly #wrappedOn: ComparedDays['wrappedOn'];
  readonly #shared = new Set<string>();
  readonly #cells: UncertainCell[] = [];

  constructor(wrappedOn: ComparedDays['wrappedOn']) {
    this.#wrappedOn = wrappedOn;
  }

  /** Cells whose calls can be told. */
  get cells(): readonly UncertainCell[] {
    return this.#cells.filter(({ key }) => !this.#shared.has(key));
  }

  /** A closed day. */
  add({ lines }: Pick<ReconciledDay, 'lines'>): void {
    // Use of a model that nobody can price may be that of the lost calls, under another name.
    const unclear = new Set(lines.filter(({ result }) => result.providerCost === null).map(({ line }) => line.key));
    for (const { line, cell, result } of lines) {
      const { key, model, match, unsure } = cell;
      if (key === null || match !== 'one' || unclear.has(key)) continue;
      const wrappedKeyIds = this.#wrappedOn(key, line.day);
      // Before it was wrapped, it may have been used directly.
      if (!wrappedKeyIds) continue;
      const bounds = { usd: unsure.upTo / FEMTO_PER_NANO, inputTokens: unsure.input, outputTokens: unsure.output };
      const isShared = unsure.calls === 0 ? result.left.length > 0 : !fits({ ...result, isShort: false }, bounds);
      if (isShared) this.#shared.add(key);
      else if (unsure.calls > 0 && !result.isShort)
        this.#cells.push({
          day: line.day,
          key,
          wrappedKeyIds,
          model,
          calls: unsure.calls,
          rest: result,
          upTo: bounds.usd,
        });
    }
  }
}
