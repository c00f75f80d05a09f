import { type Random, seeded } from '../seeded.ts';

/** Draws for one call: the same seed and number give the same draws. */
export class Dice {
  readonly #random: Random;

  constructor(seed: number, number: number) {
    this.#random = seeded(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  /** A whole number from 1 to `most`. */
  upTo(most: number): number {
    return Math.floor(this.#random() * most) + 1;
  }

  pick<const T>(choices: readonly [T, ...T[]]): T {
    return choices[this.upTo(choices.length) - 1] ?? choices[0];
  }
}
