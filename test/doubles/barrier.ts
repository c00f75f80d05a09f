/** Holds back responses until a test opens it. */
export class Barrier {
  #isShut = false;
  readonly #waiting: (() => void)[] = [];
  readonly #watchers: { readonly count: number; readonly tell: () => void }[] = [];

  shut(): void {
    this.#isShut = true;
  }

  /** Lets go what waits, and what comes. */
  open(): void {
    this.#isShut = false;
    for (const go of this.#waiting.splice(0)) go();
  }

  /** Once so many have come to wait since the barrier was last opened. */
  waiting(count: number): Promise<void> {
    if (this.#waiting.length >= count) return Promise.resolve();
    return new Promise((tell) => this.#watchers.push({ count, tell }));
  }

  /** For the double: goes on when the barrier is open. */
  async pass(): Promise<void> {
    if (!this.#isShut) return;
    const opened = new Promise<void>((go) => this.#waiting.push(go));
    for (const { count, tell } of this.#watchers) if (this.#waiting.length >= count) tell();
    await opened;
  }
}
