import type { Uptime } from '../clock.ts';

/** Signs of life of something that works elsewhere: a thread that hangs still exists, but says nothing. */
export class ThreadHeartbeat {
  readonly #uptime: Uptime;
  readonly #silenceMsMax: number;
  #heardAt: number;

  constructor(uptime: Uptime, silenceMsMax: number) {
    this.#uptime = uptime;
    this.#silenceMsMax = silenceMsMax;
    this.#heardAt = uptime();
  }

  beat(): void {
    this.#heardAt = this.#uptime();
  }

  /** For how many whole seconds nothing was heard, once that is too long; null = it lives. */
  silentSeconds(): number | null {
    const silence = this.#uptime() - this.#heardAt;
    return silence > this.#silenceMsMax ? Math.floor(silence / 1_000) : null;
  }
}
