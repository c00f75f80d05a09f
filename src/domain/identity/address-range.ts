/*
 * Addresses decide who may call and where webhooks may go, so parsing is strict and stays here: `ipaddr.js` 2.5 reads `::8.8.8.8` as
 * the public address 8.8.8.8, and accepts `::ffff:10.01.0.1`, whose leading zero some programs read as octal.
 */

/** An address as eight groups of 16 bits. IPv4 is in its mapped form, `::ffff:a.b.c.d`. */
export type IpAddress = readonly number[];

/** All addresses that begin with the same bits (CIDR). */
export interface AddressRange {
  readonly first: IpAddress;
  /** Number of leading bits that they share, of 128. */
  readonly bits: number;
}

const GROUPS = 8;
const ADDRESS_BITS = 128;
/** Bits before the IPv4 address in its mapped form. */
const MAPPED_BITS = 96;
const ADDRESS_CHARACTERS_MAX = 64;

/** Parses an IPv4 or IPv6 address as sockets and headers write it, also with a zone (`fe80::1%eth0`). null = not an address. */
export function parseAddress(text: string): IpAddress | null {
  if (text.length > ADDRESS_CHARACTERS_MAX) return null;
  const zone = text.indexOf('%');
  if (zone >= 0) return text.includes(':') ? parseVersion6(text.slice(0, zone)) : null;
  return text.includes(':') ? parseVersion6(text) : parseVersion4(text);
}

/** Parses an address or a range such as `10.0.0.0/8` and `2001:db8::/32`. null = neither. */
export function parseAddressRange(text: string): AddressRange | null {
  const [written = '', length, ...more] = text.trim().split('/');
  const first = written.includes('%') ? null : parseAddress(written);
  if (!first || more.length > 0) return null;
  if (length === undefined) return { first, bits: ADDRESS_BITS };
  if (!/^(?:0|[1-9]\d{0,2})$/.test(length)) return null;
  const bits = Number(length) + (written.includes(':') ? 0 : MAPPED_BITS);
  return bits <= ADDRESS_BITS ? { first, bits } : null;
}

/** Tests whether a range contains an address. Ranges of IPv6 never contain IPv4 addresses, not even `::/0`. */
export function isInRange(address: IpAddress, { first, bits }: AddressRange): boolean {
  if (bits < MAPPED_BITS && isVersion4(address)) return false;
  for (let group = 0, left = bits; left > 0; group += 1, left -= 16) {
    const differing = (address[group] ?? 0) ^ (first[group] ?? 0);
    if (differing >>> Math.max(0, 16 - left) !== 0) return false;
  }
  return true;
}

function isVersion4(address: IpAddress): boolean {
  return address[5] === 0xffff && address.slice(0, 5).every((group) => group === 0);
}

/** Parses four decimal numbers without leading zeros. */
function parseVersion4(text: string): IpAddress | null {
  const numbers = parseBytes(text);
  if (!numbers) return null;
  const [a, b, c, d] = numbers;
  return [0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d];
}

function parseBytes(text: string): readonly [number, number, number, number] | null {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (!match) return null;
  const [a = NaN, b = NaN, c = NaN, d = NaN] = match
    .slice(1)
    .map((part) => (/^0\d/.test(part) || Number(part) > 255 ? NaN : Number(part)));
  return Number.isNaN(a + b + c + d) ? null : [a, b, c, d];
}

function parseVersion6(text: string): IpAddress | null {
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return null;
  // An IPv4 address is only valid at the very end.
  const before = parseGroups(head, tail === undefined);
  const after = tail === undefined ? [] : parseGroups(tail, true);
  if (!before || !after) return null;
  const missing = GROUPS - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  return [...before, ...Array.from({ length: missing }, () => 0), ...after];
}

function parseGroups(text: string, last: boolean): number[] | null {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [at, part] of parts.entries()) {
    const bytes = last && at === parts.length - 1 ? parseBytes(part) : null;
    if (bytes) groups.push(bytes[0] * 256 + bytes[1], bytes[2] * 256 + bytes[3]);
    else if (/^[\da-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return null;
  }
  return groups;
}

/** Returns a key for the addresses that one client usually has: one IPv4 address, or a 64-bit network of IPv6. */
export function networkKey(address: IpAddress): string {
  return (isVersion4(address) ? address : address.slice(0, 4)).map((group) => group.toString(16)).join(':');
}
