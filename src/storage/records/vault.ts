import { TollbookError } from '../../domain/errors.ts';
import type { TextCipher } from '../../lib/crypto/cipher.ts';

/** The current cipher. The previous one still decrypts values that were read just before a rotation. */
export class SecretVault {
  #current: TextCipher;
  #previous: TextCipher | null = null;

  constructor(cipher: TextCipher) {
    this.#current = cipher;
  }

  /** Encrypts a text. Call it inside the transaction that stores the result, so that no rotation intervenes. */
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
      `The stored secret of ${recordId} can't be opened: it was changed outside Tollbook. Replace it, or restore a backup.`,
    );
  }

  /** Derives a secret for a purpose. It changes with the master secret. */
  derive(purpose: string): string {
    return this.#current.derive(purpose);
  }

  /** Replaces the cipher. Returns a function that undoes this if the transaction fails. */
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

/** Decrypts a text; null = another master secret, another record, or changed bytes. */
export function tryOpen(cipher: TextCipher, sealed: string, recordId: string): string | null {
  try {
    return cipher.open(sealed, recordId);
  } catch {
    return null;
  }
}
