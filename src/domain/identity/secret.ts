/** Both wrapped keys and access tokens begin with it; which one a secret is, only the records know. */
export const SECRET_PREFIX = 'svc_sk_';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PUBLIC_CHARACTERS = 6;
const RANDOM_CHARACTERS = 32;
/** 62^6 > 2^32: a CRC-32 fits. */
const CHECK_CHARACTERS = 6;
const BODY_CHARACTERS = PUBLIC_CHARACTERS + RANDOM_CHARACTERS;
/** The largest multiple of 62 below 256: bytes from here on would favour the first characters, so they are skipped. */
const FAIR_BYTES = 248;
const SECRET_FORM = new RegExp(`${SECRET_PREFIX}[0-9A-Za-z]+`, 'g');
const FORM = new RegExp(`^${SECRET_PREFIX}[0-9A-Za-z]{${BODY_CHARACTERS + CHECK_CHARACTERS}}$`);

/** Random bytes that `formatSecret` wants: more than enough even when many must be skipped. */
export const SECRET_RANDOM_BYTES = 128;

export interface FormattedSecret {
  readonly text: string;
  /** Identifies the secret. It may be shown and logged. */
  readonly publicId: string;
}

/** `svc_sk_` + 6 public characters + 32 random characters (190 bits) + a check against typing errors. */
export function formatSecret(random: Uint8Array): FormattedSecret {
  const body = Array.from(
    random.filter((byte) => byte < FAIR_BYTES),
    (byte) => ALPHABET.charAt(byte % 62),
  )
    .slice(0, BODY_CHARACTERS)
    .join('');
  if (body.length < BODY_CHARACTERS) throw new Error(`formatSecret needs ${SECRET_RANDOM_BYTES} random bytes`);
  return { text: SECRET_PREFIX + body + checkDigits(body), publicId: body.slice(0, PUBLIC_CHARACTERS) };
}

/** null = not one of ours: wrong length, alphabet or check. Says nothing about whether the secret is known. */
export function parseSecret(text: string): { readonly publicId: string } | null {
  if (!FORM.test(text)) return null;
  const body = text.slice(SECRET_PREFIX.length, SECRET_PREFIX.length + BODY_CHARACTERS);
  return text.endsWith(checkDigits(body)) ? { publicId: body.slice(0, PUBLIC_CHARACTERS) } : null;
}

/** A text for people or logs: a secret of ours that someone put where it doesn't belong is cut short. */
export function withoutSecrets(text: string): string {
  return text.includes(SECRET_PREFIX) ? text.replaceAll(SECRET_FORM, `${SECRET_PREFIX}…`) : text;
}

function checkDigits(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECK_CHARACTERS; i += 1) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** CRC-32 (IEEE 802.3) of ASCII text, bit by bit: 38 characters need no table. */
function crc32(text: string): number {
  let crc = -1;
  for (let i = 0; i < text.length; i += 1) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xed_b8_83_20 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** Links that hold a code behind `#`, which no browser sends anywhere and no log shows. */
export function claimLink(baseUrl: string, code: string): string {
  return `${baseUrl}/claim#${code}`;
}

export function invitationLink(baseUrl: string, code: string): string {
  return `${baseUrl}/join#${code}`;
}
