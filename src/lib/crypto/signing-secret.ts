import { randomBytes } from 'node:crypto';

/** Standard Webhooks: 24 to 64 random bytes. */
const BYTES = 32;

/** A secret to sign messages with, as Standard Webhooks writes it. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(BYTES).toString('base64')}`;
}
