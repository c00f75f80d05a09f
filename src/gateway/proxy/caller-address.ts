import { type AddressRange, isInRange, parseAddress } from '../../domain/identity/address-range.ts';

/** Longest chain of proxies that is followed; a longer one is made up. */
const HOPS_MAX = 32;

/**
 * Returns the IP address that a request comes from; null = unknown. `x-forwarded-for` is trusted only as far as
 * trusted proxies vouch for it: each names the one before it, and the last name is at the end.
 * @param remote address of the other end of the connection
 */
export function callerAddress(
  remote: string | undefined,
  forwardedFor: string | readonly string[] | undefined,
  trusted: readonly AddressRange[],
): string | null {
  if (remote === undefined) return null;
  let address = toPlainAddress(remote);
  if (trusted.length === 0 || !forwardedFor) return address;
  const names = String(forwardedFor).split(',').slice(-HOPS_MAX);
  for (const name of names.toReversed()) {
    const bits = parseAddress(address);
    if (!bits) return null;
    if (!trusted.some((range) => isInRange(bits, range))) return address;
    address = toPlainAddress(withoutPort(name.trim()));
  }
  return parseAddress(address) ? address : null;
}

/** Writes IPv4 callers of an IPv6 socket in the usual form. */
function toPlainAddress(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice('::ffff:'.length) : address;
}

/** Removes the port that some proxies add: `192.0.2.7:4711`, `[2001:db8::1]:4711`. */
function withoutPort(name: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(name)?.[1] ?? /^([\d.]+):\d+$/.exec(name)?.[1] ?? name;
}
