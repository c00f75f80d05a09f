/**
 * Shares of what many use: a holder may take as much as it leaves free, or a multiple of that. It gets half where it is
 * alone, and less the fuller it is: none fills it alone, nor do a few together.
 */
export const KEY_TIMES_FREE = 1;
/** Many keys and people may share one address. */
export const ADDRESS_TIMES_FREE = 3;

/** Tests whether a holder of `mine` places may take another of `max` places, with `taken` in use. */
export function hasFreeShare(mine: number, taken: number, max: number, timesFree: number): boolean {
  return mine < timesFree * (max - taken);
}

export interface LaneLimits {
  /** Maximum running, all names together. */
  readonly totalMax: number;
  /** Maximum running for one name. */
  readonly perNameMax: number;
  /** Maximum running for one origin; absent = no maximum. */
  readonly perOriginMax?: number;
  /** Waiting for their turn. */
  readonly waitingMax: number;
  /**
   * A name takes at most as many of the places to wait as it leaves free, an origin three times that. Absent = one name
   * may take them all.
   */
  readonly sharesPlaces?: boolean;
}

export type LaneTurn = 'go' | 'full' | 'closed';

interface LaneWaiter {
  readonly name: string;
  readonly origin: string | null;
  readonly answer: (turn: LaneTurn) => void;
}

interface LaneLoad {
  underWay: number;
  waiting: number;
}

const NOTHING: Readonly<LaneLoad> = { underWay: 0, waiting: 0 };

/**
 * Lets a few through at a time, fewer for one name or one origin. The others wait: those of one name in the order they
 * came, and names take turns, so that a name that is slow or sends much delays only itself.
 */
export class FairLanes {
  readonly #limits: LaneLimits;
  readonly #names = new Map<string, LaneLoad>();
  readonly #origins = new Map<string, LaneLoad>();
  /** Waiting lines by name; the name whose turn is next comes first. */
  readonly #lines = new Map<string, LaneWaiter[]>();
  #total = 0;
  #waiting = 0;
  #closed = false;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /** Resolves when it is its turn. The caller must call `leave` after `go`, and only then. */
  enter(name: string, origin: string | null = null): Promise<LaneTurn> {
    if (this.#closed) return Promise.resolve('closed');
    if (this.#hasRoom(name, origin)) {
      this.#count(name, origin, 'underWay', 1);
      return Promise.resolve('go');
    }
    if (!this.#hasPlace(name, origin)) return Promise.resolve('full');
    return new Promise((answer) => this.#wait({ name, origin, answer }));
  }

  leave(name: string, origin: string | null = null): void {
    this.#count(name, origin, 'underWay', -1);
    this.#serve();
  }

  /** Turns away all that wait and all that come. */
  close(): void {
    this.#closed = true;
    const lines = [...this.#lines.values()];
    this.#lines.clear();
    for (const { name, origin, answer } of lines.flat()) {
      this.#count(name, origin, 'waiting', -1);
      answer('closed');
    }
  }

  #wait(waiting: LaneWaiter): void {
    const { name, origin } = waiting;
    this.#count(name, origin, 'waiting', 1);
    const line = this.#lines.get(name);
    if (line) line.push(waiting);
    else this.#lines.set(name, [waiting]);
  }

  #serve(): void {
    // A name that was served goes to the end of the map, where this loop meets it again.
    for (const [name, line] of this.#lines) {
      if (this.#total >= this.#limits.totalMax) return;
      const at = line.findIndex(({ origin }) => this.#hasRoom(name, origin));
      const [next] = at < 0 ? [] : line.splice(at, 1);
      if (!next) continue;
      this.#lines.delete(name);
      if (line.length > 0) this.#lines.set(name, line);
      this.#count(name, next.origin, 'waiting', -1);
      this.#count(name, next.origin, 'underWay', 1);
      next.answer('go');
    }
  }

  #hasRoom(name: string, origin: string | null): boolean {
    const { totalMax, perNameMax, perOriginMax = Infinity } = this.#limits;
    if (this.#total >= totalMax || loadIn(this.#names, name).underWay >= perNameMax) return false;
    return loadIn(this.#origins, origin).underWay < perOriginMax;
  }

  #hasPlace(name: string, origin: string | null): boolean {
    const { waitingMax, sharesPlaces = false } = this.#limits;
    if (!sharesPlaces) return this.#waiting < waitingMax;
    const hasPlaceOf = ({ waiting }: LaneLoad, timesFree: number): boolean =>
      hasFreeShare(waiting, this.#waiting, waitingMax, timesFree);
    return (
      hasPlaceOf(loadIn(this.#names, name), KEY_TIMES_FREE) &&
      hasPlaceOf(loadIn(this.#origins, origin), ADDRESS_TIMES_FREE)
    );
  }

  #count(name: string, origin: string | null, what: keyof LaneLoad, change: 1 | -1): void {
    if (what === 'underWay') this.#total += change;
    else this.#waiting += change;
    changeLoad(this.#names, name, what, change);
    if (origin !== null) changeLoad(this.#origins, origin, what, change);
  }
}

function loadIn(loads: ReadonlyMap<string, LaneLoad>, name: string | null): LaneLoad {
  return (name === null ? undefined : loads.get(name)) ?? NOTHING;
}

/** Changes a load. Empty loads are removed, because names come from clients. */
function changeLoad(loads: Map<string, LaneLoad>, name: string, what: keyof LaneLoad, change: 1 | -1): void {
  const load = { ...loadIn(loads, name) };
  load[what] += change;
  if (load.underWay === 0 && load.waiting === 0) loads.delete(name);
  else loads.set(name, load);
}
