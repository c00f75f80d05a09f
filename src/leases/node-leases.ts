import type { CounterPlace } from '../domain/limits/limit.ts';
import { counterKey, LEASE_PROTOCOL, type LeaseAnswer, type LeaseRefusal, type LeaseRequest } from './exchange.ts';
import { LeaseCell } from './lease-cell.ts';

/** A node may admit for so long after it sent an exchange that was answered. */
export const LEASE_MS = 60_000;
/** Cells of a process: as many as it has counters of limits. */
const CELLS_MAX = 1_000_000;
/** Cells in one exchange; the others follow in the next. A complete one has all. */
const ITEMS_MAX = 1_000;
/** The amount of a cell that no call used for so long is returned. */
const IDLE_MS = 30_000;
/** Cells that a heartbeat checks, at least … */
const BEAT_CELLS_MIN = 1_000;
/** … and in so many heartbeats it checks all. */
const BEAT_ROUNDS = 16;

/** The process has not read the limits since it registered. */
const NO_CHANGES = -1;

/** Answer to a registration. */
export interface LeaseRegistration {
  readonly epoch: number;
  readonly generation: number;
}

export interface NodeLeaseOptions {
  readonly node: string;
  /** Last position of the journal that the process found. */
  readonly position: number;
  readonly leaseMs?: number;
  readonly idleMs?: number;
  readonly cellsMax?: number;
  /** A cell has something to say. */
  readonly onWant?: () => void;
}

interface PendingExchange {
  readonly seq: number;
  readonly sentAt: number;
  readonly isComplete: boolean;
  readonly generation: number;
  readonly cells: ReadonlySet<LeaseCell>;
  /** Cells whose amount was lowered since it was sent. */
  readonly lowered: Set<LeaseCell>;
}

/**
 * The leases of one process: what it may use of each counter that it shares with other nodes. Nothing here waits or reads
 * a clock: `uptime` moves forward only, and also while the machine sleeps. See the invariants in README.md.
 */
export class NodeLeases {
  readonly #node: string;
  readonly #leaseMs: number;
  readonly #idleMs: number;
  readonly #cellsMax: number;
  readonly #onWant: () => void;
  readonly #cells = new Map<string, LeaseCell>();
  /** Cells that have something to say. */
  readonly #wanting = new Set<LeaseCell>();
  #epoch = 0;
  #seq = 0;
  #generation = 0;
  /** The next exchange says all that the process has. */
  #mustState = true;
  /** Newest change of limits that the process works with. */
  #changes = NO_CHANGES;
  #position: number;
  #pending: PendingExchange | null = null;
  #leaseUntil = Number.NEGATIVE_INFINITY;
  /** The lease ended, and unused amounts were returned since. */
  #hasLapsed = true;
  #beat: Iterator<LeaseCell> | null = null;

  constructor({
    node,
    position,
    leaseMs = LEASE_MS,
    idleMs = IDLE_MS,
    cellsMax = CELLS_MAX,
    onWant = () => {},
  }: NodeLeaseOptions) {
    this.#node = node;
    this.#position = position;
    this.#leaseMs = leaseMs;
    this.#idleMs = idleMs;
    this.#cellsMax = cellsMax;
    this.#onWant = onWant;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** No cell counts calls that ended up to this position of the journal. */
  uncountedTo(position: number): void {
    this.#position = position;
  }

  /** Number of the last exchange. */
  get seq(): number {
    return this.#seq;
  }

  /** Something is to be said soon, not only with the next heartbeat. */
  get isWanting(): boolean {
    return this.#pending === null && (this.#wanting.size > 0 || this.#mustState);
  }

  /** Reports whether calls may be admitted. */
  isLive(uptime: number): boolean {
    return uptime < this.#leaseUntil;
  }

  cells(): IterableIterator<LeaseCell> {
    return this.#cells.values();
  }

  /** Takes the registration of this process. Also after the authority forgot it: then all is stated again. */
  registered({ epoch, generation }: LeaseRegistration): void {
    this.#epoch = epoch;
    // `seq` goes on: an answer to the former registration must not pass for one to this.
    this.#pending = null;
    this.#restate(generation);
  }

  /**
   * Returns the cell of a counter. A new one has no room until the authority said what the node has of it. null = the
   * process has no place for another.
   */
  cell(place: CounterPlace, uptime: number): LeaseCell | null {
    const known = this.#cells.get(counterKey(place));
    if (known || this.#cells.size >= this.#cellsMax) return known ?? null;
    return this.#add(new LeaseCell(this.#owner, place, uptime));
  }

  /**
   * Opens the cell of a new limit's counter, where nothing was ever counted, if an earlier call did not open it. Calls that
   * it adopts are held over its cap. The amount may not have room for them, so what they free belongs to no node until the
   * authority says that all fits.
   */
  openNew(place: CounterPlace, uptime: number): LeaseCell {
    const known = this.#cells.get(counterKey(place));
    const cell = known ?? this.#add(new LeaseCell(this.#owner, place, uptime, true));
    cell.isStrict = true;
    return cell;
  }

  /**
   * A limit was changed, or is gone: what its cells don't use goes back. Also where its amount is the same or higher
   * than the process knew, because grants may be of an amount in between that was higher still.
   */
  changed(counter: number, uptime: number): void {
    for (const cell of this.#cells.values()) {
      if (cell.place.counter !== counter) continue;
      cell.raise();
      this.#lower(cell, uptime);
    }
  }

  /** The process works with all changes of limits up to this one, read since it last registered or restated. */
  caughtUp(changes: number): void {
    this.#changes = changes;
  }

  /** Returns what the node doesn't use of counters that other nodes need. */
  recall(places: readonly CounterPlace[], uptime: number): void {
    for (const place of places) this.#cells.get(counterKey(place))?.recall(uptime);
  }

  /** Returns all that no call uses, before the process stops. */
  returnAll(uptime: number): void {
    for (const cell of this.#cells.values()) cell.recall(uptime);
  }

  /** Lets idle cells return their amounts and rates fall. Called about every second, before a heartbeat. */
  beat(uptime: number): void {
    let checks = Math.max(BEAT_CELLS_MIN, Math.ceil(this.#cells.size / BEAT_ROUNDS));
    this.#beat ??= this.#cells.values();
    for (; checks > 0; checks -= 1) {
      const next = this.#beat.next();
      if (next.done) return void (this.#beat = null);
      next.value.beat(uptime, this.#idleMs);
    }
  }

  /**
   * Drops idle cells. They come back when a call needs them.
   * @param position all calls that ended until now are at or before this position of the journal
   */
  dropIdle(uptime: number, position: number): void {
    for (const [key, cell] of this.#cells) {
      if (!cell.isIdle(uptime, this.#idleMs) || this.#wanting.has(cell) || this.#pending?.cells.has(cell)) continue;
      this.#cells.delete(key);
      cell.isDropped = true;
      this.uncountedTo(position);
    }
  }

  /** Returns what is to be said now; null = nothing, or an exchange is pending. */
  nextExchange(uptime: number, isHeartbeat: boolean): LeaseRequest | null {
    if (this.#pending || !(isHeartbeat || this.isWanting)) return null;
    if (!this.#hasLapsed && !this.isLive(uptime)) this.#lapse();
    const isComplete = this.#mustState;
    const cells = new Set(isComplete ? this.#cells.values() : [...this.#wanting].slice(0, ITEMS_MAX));
    for (const cell of cells) this.#wanting.delete(cell);
    const items = Array.from(cells, (cell) => cell.toItem(uptime));
    this.#seq += 1;
    const [seq, generation] = [this.#seq, this.#generation];
    this.#pending = { seq, sentAt: uptime, isComplete, generation, cells, lowered: new Set() };
    return {
      protocol: LEASE_PROTOCOL,
      node: this.#node,
      epoch: this.#epoch,
      seq,
      generation,
      changes: this.#changes,
      position: this.#position,
      isComplete,
      isHeartbeat,
      items,
    };
  }

  /**
   * Takes an answer. Returns false if it is late: a newer exchange has said more.
   * @param retry tries the calls that wait. Only after that are amounts returned that other nodes need
   */
  answered(answer: LeaseAnswer, uptime: number, retry: () => void): boolean {
    const pending = this.#end(answer.seq);
    if (!pending) return false;
    if (pending.isComplete && pending.generation === this.#generation) this.#mustState = false;
    if (answer.isRenewed) {
      this.#leaseUntil = Math.max(this.#leaseUntil, pending.sentAt + this.#leaseMs);
      this.#hasLapsed = false;
    }
    for (const grant of answer.grants) {
      const cell = this.#cells.get(grant.key);
      if (cell) cell.take(grant, uptime, pending.lowered.has(cell));
    }
    retry();
    for (const { key, state } of answer.grants)
      if (state === 'scarce' || state === 'spent') this.#cells.get(key)?.returnUnused();
    this.recall(answer.scarce, uptime);
    // The authority counts amounts for these although no cell here has them: they are asked for, and returned.
    for (const place of answer.scarce) {
      const cell = this.cell(place, uptime);
      if (cell) this.#owner.want(cell);
    }
    return true;
  }

  /** Takes a refusal. Returns false if it is late. After `stale` the process registers again. */
  refused(refusal: LeaseRefusal): boolean {
    if (!this.failed(refusal.seq)) return false;
    if (refusal.kind === 'restate') this.#restate(refusal.generation);
    return true;
  }

  /** Gives an exchange up that was not answered in time. What it said is said again. Returns false if it is late. */
  failed(seq: number): boolean {
    const pending = this.#end(seq);
    if (!pending) return false;
    for (const cell of pending.cells) this.#wanting.add(cell);
    return true;
  }

  readonly #owner = {
    want: (cell: LeaseCell): void => {
      this.#wanting.add(cell);
      this.#onWant();
    },
  };

  #add(cell: LeaseCell): LeaseCell {
    this.#cells.set(cell.key, cell);
    return cell;
  }

  #end(seq: number): PendingExchange | null {
    if (this.#pending?.seq !== seq) return null;
    const pending = this.#pending;
    this.#pending = null;
    return pending;
  }

  /** The authority may have forgotten grants, or never knew this process. */
  #restate(generation: number): void {
    this.#generation = generation;
    this.#mustState = true;
    // A failover may have taken back changes, and may give their numbers again.
    this.#changes = NO_CHANGES;
  }

  #lower(cell: LeaseCell, uptime: number): void {
    cell.lower(uptime);
    if (this.#pending?.cells.has(cell)) this.#pending.lowered.add(cell);
  }

  /** Returns the unused amounts of a node that was cut off, before it admits again. */
  #lapse(): void {
    for (const cell of this.#cells.values()) cell.returnUnused();
    this.#hasLapsed = true;
  }
}
