import { type IpAddress, type AddressRange, isInRange, parseAddressRange } from './address-range.ts';

const VERSION_4 = requireRange('::ffff:0:0/96');
/** All that has been given out of IPv6; the rest is local, multicast, an old form of an IPv4 address, or nothing yet. */
const GLOBAL_6 = requireRange('2000::/3');
/** An IPv4 address as it is reached through a translator (RFC 6052): networks without IPv4 see every old host so. */
const TRANSLATED = requireRange('64:ff9b::/96');

/** Special-purpose addresses by the IANA registries: not reachable on the internet, or inside the own network. */
const NOT_PUBLIC = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Looks public, but is how a machine at Azure speaks with its host.
  '168.63.129.16/32',
  // Teredo, ORCHID, benchmarks.
  '2001::/23',
  '2001:db8::/32',
  // An IPv4 address, reached by a relay of the own network (6to4).
  '2002::/16',
  '3fff::/20',
].map(requireRange);

/** Tests whether an address is public. IPv4 addresses in other forms are judged as IPv4. */
export function isPublicAddress(address: IpAddress): boolean {
  if (isInRange(address, TRANSLATED)) return isPublicAddress([...VERSION_4.first.slice(0, 6), ...address.slice(6)]);
  if (!isInRange(address, VERSION_4) && (!isInRange(address, GLOBAL_6) || isIsatap(address))) return false;
  return !NOT_PUBLIC.some((range) => isInRange(address, range));
}

/** Tests for an ISATAP address: an IPv4 address of the own site, in the form `…:0:5efe:a.b.c.d` (RFC 5214). */
function isIsatap(address: IpAddress): boolean {
  return (address[4] === 0 || address[4] === 0x200) && address[5] === 0x5efe;
}

function requireRange(text: string): AddressRange {
  const range = parseAddressRange(text);
  if (!range) throw new Error(`No range of addresses: ${text}`);
  return range;
}
