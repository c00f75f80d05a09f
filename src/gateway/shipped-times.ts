/** Times that are remembered until their calls are shipped. */
const TIMES_MAX = 1_000;

/** Remembers the position of the journal at some times, to find the time up to which the ledger has all ended calls. */
export class ShippedTimes {
  /** Ascending. */
  #times: { readonly at: number; readonly endSeq: number }[] = [];
  #shipped = Number.NEGATIVE_INFINITY;

  /**
   * Notes the journal's last end at window time `now`. Returns the latest noted time before which every ended call is
   * in the ledger.
   */
  note(now: number, endSeq: number, mark: number): number {
    if (this.#times.length < TIMES_MAX) this.#times.push({ at: now, endSeq });
    const shipped = this.#times.findLastIndex((time) => time.endSeq <= mark);
    this.#shipped = this.#times[shipped]?.at ?? this.#shipped;
    this.#times.splice(0, shipped + 1);
    return this.#shipped;
  }
}
