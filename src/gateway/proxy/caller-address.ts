import { type AddressRange, isInRange, parseAddress } from '../../domain/identity/address-range.ts';

/** Proxies that stand one before the other; a longer chain is made up. */
const HOPS_MAX = 32;

/**
 * Where a request comes from; null = not known. What `x-forwarded-for` says is believed only as far as addresses of
 * trusted proxies vouch for it: each names the one before it, the last name stands at the end.
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

/** IPv4 callers of an IPv6 socket are written as people write them. */
function toPlainAddress(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice('::ffff:'.length) : address;
}

/** Some proxies add the port: `192.0.2.7:4711`, `[2001:db8::1]:4711`. */
function withoutPort(name: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(name)?.[1] ?? /^([\d.]+):\d+$/.exec(name)?.[1] ?? name;
}
