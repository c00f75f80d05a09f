import { HOUR_MS } from '../time/units.ts';

/** The session window of the vendors' plans. */
export const BLOCK_MS = 5 * HOUR_MS;

/** Five hours that start at the hour of a first use. Epoch ms; half-open. */
export interface PlanBlock {
  readonly start: number;
  readonly end: number;
}

/** Finds the blocks of several accounts. The first use after the end of a block starts another one. */
export class PlanBlocks<Account> {
  readonly #open = new Map<Account, PlanBlock>();

  /** Returns the block of a use. Uses of an account must come the earliest first. */
  at(account: Account, at: number): PlanBlock {
    let block = this.#open.get(account);
    if (!block || at >= block.end) {
      const start = Math.floor(at / HOUR_MS) * HOUR_MS;
      block = { start, end: start + BLOCK_MS };
      this.#open.set(account, block);
    }
    return block;
  }
}
