import { TollbookError } from '../../domain/errors.ts';
import type { TextCipher } from '../../lib/crypto/cipher.ts';

/** The cipher in use. After a rotation the one before still opens what a reader fetched just before it. */
export class SecretVault {
  #current: TextCipher;
  #previous: TextCipher | null = null;

  constructor(cipher: TextCipher) {
    this.#current = cipher;
  }

  /** Call it inside the transaction that stores the result, so that no rotation comes between. */
  seal(text: string, recordId: string): string {
    return this.#current.seal(text, recordId);
  }

  open(sealed: string, recordId: string): string {
    for (const cipher of [this.#current, this.#previous]) {
      const text = cipher && tryOpen(cipher, sealed, recordId);
      if (text !== null) return text;
    }
    throw new TollbookError(
      'internal',
      `The stored secret of ${recordId} can't be opened: it was changed outside Tollbook. Set it anew, or restore a backup.`,
    );
  }

  /** Changes with the master secret. */
  derive(purpose: string): string {
    return this.#current.derive(purpose);
  }

  /** Returns what undoes it, for when its transaction fails. */
  replace(next: TextCipher): () => void {
    const [current, previous] = [this.#current, this.#previous];
    this.#previous = current;
    this.#current = next;
    return () => {
      this.#current = current;
      this.#previous = previous;
    };
  }
}

/** null = it does not open: another master secret, another record, or changed bytes. */
export function tryOpen(cipher: TextCipher, sealed: string, recordId: string): string | null {
  try {
    return cipher.open(sealed, recordId);
  } catch {
    return null;
  }
}
