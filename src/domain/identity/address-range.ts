/** An address: eight groups of 16 bits. IPv4 stands in its mapped form, `::ffff:a.b.c.d`, so that both are one kind. */
export type IpAddress = readonly number[];

/** The addresses that begin with the same bits (CIDR). */
export interface AddressRange {
  readonly first: IpAddress;
  /** How many leading bits of 128 they share. */
  readonly bits: number;
}

const GROUPS = 8;
const ADDRESS_BITS = 128;
/** Bits before the IPv4 address in its mapped form. */
const MAPPED_BITS = 96;
const ADDRESS_CHARACTERS_MAX = 64;

/** Reads an IPv4 or IPv6 address as sockets and headers give it, also with a zone (`fe80::1%eth0`); null = it is none. */
export function parseAddress(text: string): IpAddress | null {
  if (text.length > ADDRESS_CHARACTERS_MAX) return null;
  const zone = text.indexOf('%');
  if (zone >= 0) return text.includes(':') ? parseVersion6(text.slice(0, zone)) : null;
  return text.includes(':') ? parseVersion6(text) : parseVersion4(text);
}

/** Reads an address or a range such as `10.0.0.0/8` and `2001:db8::/32`; null = it is neither. */
export function parseAddressRange(text: string): AddressRange | null {
  const [written = '', length, ...more] = text.trim().split('/');
  const first = written.includes('%') ? null : parseAddress(written);
  if (!first || more.length > 0) return null;
  if (length === undefined) return { first, bits: ADDRESS_BITS };
  if (!/^(?:0|[1-9]\d{0,2})$/.test(length)) return null;
  const bits = Number(length) + (written.includes(':') ? 0 : MAPPED_BITS);
  return bits <= ADDRESS_BITS ? { first, bits } : null;
}

/** An IPv4 address is only in ranges of IPv4 addresses: `::/0` is every IPv6 address and no other. */
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

/** Four plain decimal numbers: a leading zero would be octal to some. */
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
  // An IPv4 address can only stand at the very end.
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

/** Addresses that one person has at once: one of IPv4, a network of 64 bits of IPv6. */
export function networkKey(address: IpAddress): string {
  return (isVersion4(address) ? address : address.slice(0, 4)).map((group) => group.toString(16)).join(':');
}
