export interface LaneLimits {
  /** Under way at a time, all names together. */
  readonly totalMax: number;
  /** Under way at a time for one name. */
  readonly perNameMax: number;
  /** Waiting for their turn. */
  readonly waitingMax: number;
  /** Waiting for one name; absent = as many as all together. */
  readonly waitingPerNameMax?: number;
}

export type Turn = 'go' | 'full' | 'closed';

interface Waiting {
  readonly name: string;
  readonly answer: (turn: Turn) => void;
}

/** Lets a few through at a time, fewer for one name; the rest wait in order, so that a slow name holds up itself alone. */
export class Lanes {
  readonly #limits: LaneLimits;
  readonly #underWay = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  #total = 0;
  #closed = false;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /** Resolves when it is its turn; who gets `go` calls `leave` in the end, and nobody else does. */
  enter(name: string): Promise<Turn> {
    if (this.#closed) return Promise.resolve('closed');
    if (this.#hasRoom(name)) {
      this.#take(name);
      return Promise.resolve('go');
    }
    if (this.#isFull(name)) return Promise.resolve('full');
    return new Promise((answer) => this.#waiting.push({ name, answer }));
  }

  leave(name: string): void {
    this.#total -= 1;
    const left = (this.#underWay.get(name) ?? 0) - 1;
    if (left > 0) this.#underWay.set(name, left);
    else this.#underWay.delete(name);
    const at = this.#waiting.findIndex((one) => this.#hasRoom(one.name));
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (!next) return;
    this.#take(next.name);
    next.answer('go');
  }

  /** Turns away all who wait and all who come. */
  close(): void {
    this.#closed = true;
    for (const { answer } of this.#waiting.splice(0)) answer('closed');
  }

  #hasRoom(name: string): boolean {
    const { totalMax, perNameMax } = this.#limits;
    return this.#total < totalMax && (this.#underWay.get(name) ?? 0) < perNameMax;
  }

  #isFull(name: string): boolean {
    const { waitingMax, waitingPerNameMax = waitingMax } = this.#limits;
    if (this.#waiting.length < waitingPerNameMax) return false;
    if (this.#waiting.length >= waitingMax) return true;
    return this.#waiting.filter((one) => one.name === name).length >= waitingPerNameMax;
  }

  #take(name: string): void {
    this.#total += 1;
    this.#underWay.set(name, (this.#underWay.get(name) ?? 0) + 1);
  }
}
