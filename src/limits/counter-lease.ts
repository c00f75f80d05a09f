import type { CounterPlace } from '../domain/limits/limit.ts';
import type { WholeAmount } from '../domain/money/money.ts';
import type { LeaseCell } from '../leases/lease-cell.ts';

/** Leases of the counters that this process shares with other nodes. */
export interface CounterLeases {
  /** On a clock that only moves forward. */
  readonly uptime: number;
  /** Calls may be admitted from what was granted. */
  readonly isLive: boolean;
  /** The lease has ended, and the authority does not answer. */
  readonly isAway: boolean;
  /** Returns the cell of a counter; null = there is no place for another. */
  cell(place: CounterPlace): LeaseCell | null;
  /** Opens the cell of a new limit's counter, under which this node has counted nothing. */
  openNew(place: CounterPlace): void;
  /** Calls that have ended until now count under no cell: the ledger must have them before a cell begins. */
  uncounted(): void;
  /** A limit has changed or is gone: what its counters don't use goes back. */
  changed(counter: number): void;
}

/**
 * Room of a node under one counter:
 * - `fits`: a call may hold its need
 * - `lacks`: other nodes or open calls may have what it lacks
 * - `unleased`: the node has no lease, or does not know yet what it used before
 * - `spent`: ended calls of all nodes have left less than the need
 */
export type LeaseRoom = 'fits' | 'lacks' | 'unleased' | 'spent';

/** The part of one counter that this node may use. Its cell is opened when a call needs it, and may leave memory when idle. */
export class CounterLease {
  readonly #leases: CounterLeases;
  readonly #place: CounterPlace;
  #known: LeaseCell | null = null;

  constructor(leases: CounterLeases, place: CounterPlace) {
    this.#leases = leases;
    this.#place = place;
  }

  /** Opens the counter of a new limit, for calls that are older than it. */
  openNew(): void {
    this.#leases.openNew(this.#place);
  }

  find(need: number): LeaseRoom {
    const { isLive, uptime } = this.#leases;
    const cell = this.#cell;
    if (!isLive || !cell?.isAdopted) return 'unleased';
    if (cell.room >= need) return 'fits';
    return cell.isSpent(need, uptime) ? 'spent' : 'lacks';
  }

  /** Asks for a need that has no room. */
  ask(need: number): void {
    const cell = this.#cell;
    if (cell && (!cell.isAdopted || cell.room < need)) cell.ask(need);
  }

  hold(need: number): void {
    this.#cell?.hold(need);
  }

  settle(need: number, counted: WholeAmount): void {
    const cell = this.#cell;
    if (!cell) return;
    cell.settle(need, counted, this.#leases.uptime);
    if (!cell.isAdopted) this.#leases.uncounted();
  }

  /** Amount that ended calls of all nodes had used when the authority called a need spent; 0 = it did not. */
  get spent(): WholeAmount {
    return this.#cell?.spent ?? 0;
  }

  get #cell(): LeaseCell | null {
    if (!this.#known || this.#known.isDropped) this.#known = this.#leases.cell(this.#place);
    return this.#known;
  }
}
