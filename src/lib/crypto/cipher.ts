import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes, scryptSync } from 'node:crypto';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** First part of every sealed text: AES-256-GCM, key by HKDF-SHA-256. Another scheme gets another version. */
const VERSION = 'v1';
const KEY_PURPOSE = 'seal records v1';
/** A shorter master secret was probably chosen by a person: it is stretched, so that guessing is slow. */
const STRETCH_BELOW_CHARACTERS = 32;
const STRETCH_COST = 2 ** 15;
const STRETCH_MEMORY_BYTES_MAX = 64 * 1024 * 1024;

/** Seals texts for storage. A sealed text opens only under the id it was sealed for. */
export interface TextCipher {
  seal(text: string, recordId: string): string;
  /** Throws when the text was changed, moved to another record, or sealed with another master secret. */
  open(sealed: string, recordId: string): string;
  /** Another secret of the same strength that says nothing about the master secret, for one purpose. */
  derive(purpose: string): string;
}

/** Creates a cipher. `salt` is random, stored with the sealed texts, and not secret. */
export function createCipher(masterSecret: string, salt: string): TextCipher {
  const strong = stretchSecret(masterSecret, salt);
  const deriveKey = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', strong, salt, purpose, KEY_BYTES));
  const key = deriveKey(KEY_PURPOSE);
  return {
    derive: (purpose) => deriveKey(purpose).toString('base64url'),
    seal(text, recordId) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(recordId));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed, recordId) {
      const [version, payload, ...rest] = sealed.split('.');
      const bytes = Buffer.from(payload ?? '', 'base64url');
      if (version !== VERSION || rest.length > 0 || bytes.length < IV_BYTES + TAG_BYTES)
        throw new Error(`The sealed text of ${recordId} has an unknown form.`);
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(recordId))
        .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

function stretchSecret(masterSecret: string, salt: string): string | Buffer {
  if (masterSecret.length >= STRETCH_BELOW_CHARACTERS) return masterSecret;
  return scryptSync(masterSecret, salt, KEY_BYTES, { N: STRETCH_COST, maxmem: STRETCH_MEMORY_BYTES_MAX });
}

/** SHA-256 as base64url. For secrets of full strength, which need no salt and no stretching. */
export function hashSecret(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** Standard Webhooks: 24 to 64 random bytes. */
const BYTES = 32;

/** A secret to sign messages with, as Standard Webhooks writes it. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(BYTES).toString('base64')}`;
}
