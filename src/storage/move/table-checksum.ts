import { hash } from 'node:crypto';
import type { Cell } from './moved-tables.ts';

const BITS = 64;
const HALF_BYTES = 8;
const HEX_DIGITS = BITS / 4;

/** Checksum of rows in any order: the sum of their hashes. Equal values have equal hashes in every database. */
export class TableChecksum {
  #rows = 0;
  #first = 0n;
  #second = 0n;

  add(row: readonly Cell[]): void {
    const digest = hash('sha256', canonicalText(row), 'buffer');
    this.#rows += 1;
    this.#first += digest.readBigUInt64LE(0);
    this.#second += digest.readBigUInt64LE(HALF_BYTES);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Sum of the hashes in hexadecimal. */
  get sum(): string {
    return [this.#first, this.#second]
      .map((half) => BigInt.asUintN(BITS, half).toString(16).padStart(HEX_DIGITS, '0'))
      .join('');
  }
}

/** Returns a text that no other values have: texts with their length, numbers in decimal. */
function canonicalText(row: readonly Cell[]): string {
  let text = '';
  for (const cell of row)
    text += cell === null ? '-,' : typeof cell === 'string' ? `${cell.length}:${cell},` : `${cell},`;
  return text;
}
