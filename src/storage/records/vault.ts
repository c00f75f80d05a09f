import { TollbookError } from '../../domain/errors.ts';
import type { TextCipher } from '../../lib/crypto/cipher.ts';
import type { RecordDb } from './tables.ts';

/** Setting that shows whether a cipher is the right one. */
export const CHECK = 'secret.check';
export const CHECK_TEXT = 'tollbook';

/** State of a vault whose database other processes change. */
export interface SharedSecret {
  /** The stored check that the current cipher opens. */
  readonly check: string;
  /** Ciphers that another process may change to. */
  readonly others: readonly TextCipher[];
}

/** The current cipher. Others still decrypt values that were read just before a rotation, or just after one elsewhere. */
export class SecretVault {
  #current: TextCipher;
  #others: readonly TextCipher[];
  /** null = no other process rotates the secret. */
  #check: string | null;

  constructor(cipher: TextCipher, shared: SharedSecret | null = null) {
    this.#current = cipher;
    this.#others = shared?.others ?? [];
    this.#check = shared?.check ?? null;
  }

  /** Encrypts a text. Call it inside the transaction that stores the result, so that no rotation intervenes. */
  seal(text: string, recordId: string): string {
    return this.#current.seal(text, recordId);
  }

  open(sealed: string, recordId: string): string {
    for (const cipher of [this.#current, ...this.#others]) {
      const text = tryOpen(cipher, sealed, recordId);
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

  /**
   * Changes to the cipher that the database has, if another process rotated the secret. Call it in a transaction before
   * anything is sealed. Throws `unavailable` if this process does not have the secret.
   */
  async follow(db: RecordDb): Promise<void> {
    if (this.#check === null) return;
    const check = await readCheck(db);
    if (check === this.#check) return;
    const next = this.#others.find((cipher) => opensCheck(cipher, check));
    if (!next)
      throw new TollbookError(
        'unavailable',
        'Another process rotated the master secret to one that is neither in SVC_SECRET nor in SVC_SECRET_NEXT here. Set it, and restart.',
      );
    this.replace(next, check);
  }

  /** Replaces the cipher. Returns a function that undoes this if the transaction fails. */
  replace(next: TextCipher, check: string): () => void {
    const [current, others, checked] = [this.#current, this.#others, this.#check];
    // A shared vault keeps what others may still use; elsewhere the one before is enough.
    this.#others = checked === null ? [current] : [current, ...others.filter((cipher) => cipher !== next)];
    this.#current = next;
    if (checked !== null) this.#check = check;
    return () => {
      this.#current = current;
      this.#others = others;
      this.#check = checked;
    };
  }
}

async function readCheck(db: RecordDb): Promise<string> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', CHECK).executeTakeFirst();
  return row?.value ?? '';
}

/** Returns true if a cipher is the one with which everything in the database is sealed. */
export function opensCheck(cipher: TextCipher, check: string): boolean {
  return tryOpen(cipher, check, CHECK) === CHECK_TEXT;
}

/** Decrypts a text; null = another master secret, another record, or changed bytes. */
function tryOpen(cipher: TextCipher, sealed: string, recordId: string): string | null {
  try {
    return cipher.open(sealed, recordId);
  } catch {
    return null;
  }
}
