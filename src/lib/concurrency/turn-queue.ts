/** Runs work one at a time, in the order of asking. */
export class TurnQueue {
  #last: Promise<unknown> = Promise.resolve();

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work, work);
    this.#last = result;
    return await result;
  }
}
