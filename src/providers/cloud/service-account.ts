import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { asObject, asText } from '../../lib/json/values.ts';
import { refuseAnyKey } from '../provider-key.ts';

/** A token is valid for an hour at most (AIP-4111, "Self-signed JWT"). */
const TOKEN_SECONDS = 3_600;
/** A token is replaced before its end, so that calls that wait still have a valid one. */
const RENEW_MS = 300_000;
/** The clock of the provider may be behind. */
const CLOCK_SKEW_SECONDS = 30;
/** Keys whose tokens are remembered. */
const TOKENS_MAX = 1_000;
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

interface ServiceAccount {
  readonly email: string;
  readonly keyId: string | null;
  readonly privateKey: KeyObject;
}

/** Reports whether a provider key is the JSON file of a service account; otherwise it is an access token. */
export function isServiceAccount(key: string): boolean {
  return key.startsWith('{');
}

/** Returns why this is neither the JSON key of a service account nor an access token; null = it is one. */
export function refuseGoogleKey(key: string): string | null {
  if (!isServiceAccount(key)) return refuseAnyKey(key);
  return readServiceAccount(key)
    ? null
    : 'This is not the JSON key of a service account. Enter the whole file, with "type": "service_account", "client_email" and "private_key".';
}

/** Writes the JSON key of a service account as one word, without the fields that nothing needs. Other keys stay. */
export function compactGoogleKey(key: string): string {
  const account = readServiceAccount(key);
  if (!account) return key;
  const { email, keyId, privateKey } = account;
  const fields = {
    type: 'service_account',
    client_email: email,
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    private_key_id: keyId,
  };
  return JSON.stringify(fields).replaceAll(' ', String.raw`\u0020`);
}

/** Returns null if the text is anything else. Only these fields are used: the file's addresses are not asked. */
function readServiceAccount(key: string): ServiceAccount | null {
  try {
    const fields = asObject(JSON.parse(key));
    const email = asText(fields?.['client_email']);
    const pem = asText(fields?.['private_key']);
    if (!fields || fields['type'] !== 'service_account' || !email || !pem) return null;
    const privateKey = createPrivateKey(pem);
    return privateKey.asymmetricKeyType === 'rsa'
      ? { email, keyId: asText(fields['private_key_id']), privateKey }
      : null;
  } catch {
    return null;
  }
}

/**
 * Access tokens of service accounts. Each is signed here with the account's own key, as Google's client libraries do by
 * default (AIP-4111), so that no call waits for a token server.
 */
export class ServiceAccountTokens {
  readonly #tokens = new Map<string, { readonly text: string; readonly renewAt: number }>();

  /**
   * Returns a token of a service account, the same one until shortly before its end; null = the key is not one.
   * @param now epoch ms
   */
  find(key: string, now: number): string | null {
    const known = this.#tokens.get(key);
    if (known && now < known.renewAt && now > known.renewAt - TOKEN_SECONDS * 1_000) return known.text;
    const account = readServiceAccount(key);
    if (!account) return null;
    const text = signToken(account, Math.floor(now / 1_000));
    if (this.#tokens.size >= TOKENS_MAX) this.#tokens.clear();
    this.#tokens.set(key, { text, renewAt: now + TOKEN_SECONDS * 1_000 - RENEW_MS });
    return text;
  }
}

/** @param now epoch seconds */
function signToken({ email, keyId, privateKey }: ServiceAccount, now: number): string {
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId !== null && { kid: keyId }) };
  const issuedAt = now - CLOCK_SKEW_SECONDS;
  const claims = { iss: email, sub: email, scope: SCOPE, iat: issuedAt, exp: issuedAt + TOKEN_SECONDS };
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
