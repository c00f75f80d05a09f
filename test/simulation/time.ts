import type { Scheduler } from '../../src/lib/clock.ts';

interface Timer {
  readonly at: number;
  readonly act: () => void;
  isOff: boolean;
}

/** Both clocks and the event loop; nothing moves by itself. */
export class SimulatedTime implements Scheduler {
  /** Epoch ms, as the machine believes. */
  wall: number;
  /** Goes forward only. */
  uptime = 1_000;
  #soon: (() => void)[] = [];
  #timers: Timer[] = [];

  constructor(wall: number) {
    this.wall = wall;
  }

  soon(act: () => void): void {
    this.#soon.push(act);
  }

  later(act: () => void, ms: number): () => void {
    const timer = { at: this.uptime + ms, act, isOff: false };
    this.#timers.push(timer);
    return () => {
      timer.isOff = true;
    };
  }

  /** One turn of the event loop: what was put off before it began. */
  turn(): void {
    const acts = this.#soon;
    this.#soon = [];
    for (const act of acts) act();
  }

  /** Timers that fell due run once, however long it took. */
  pass(ms: number): void {
    this.wall += ms;
    this.uptime += ms;
    const due = this.#timers.filter(({ at }) => at <= this.uptime).toSorted((a, b) => a.at - b.at);
    this.#timers = this.#timers.filter(({ at }) => at > this.uptime);
    for (const timer of due) if (!timer.isOff) timer.act();
  }

  /** A process is dead: nothing that it put off happens. */
  forget(): void {
    this.#soon = [];
    this.#timers = [];
  }
}
