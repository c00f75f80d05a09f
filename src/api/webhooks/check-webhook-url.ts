import { BlockList, isIP } from 'node:net';
import { TollbookError } from '../../core/errors.ts';

const URL_CHARACTERS_MAX = 2_048;

/** Addresses that lead into the operator's own network, by the IANA special-purpose registries. */
const PRIVATE = new BlockList();
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])
  addRange(range, 'ipv4');
for (const range of [
  '::/127',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
])
  addRange(range, 'ipv6');

function addRange(range: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits] = range.split('/');
  PRIVATE.addSubnet(address, Number(bits), family);
}

/**
 * Returns the address of a webhook as it was given, once it is one that may be reached: public and https. What a name
 * leads to is looked at when something is sent there.
 * @throws TollbookError `invalid`.
 */
export function checkWebhookUrl(text: string): string {
  const url = text.length <= URL_CHARACTERS_MAX ? URL.parse(text) : null;
  if (!url) throw invalid('url is not an address; write for instance https://example.com/hook.');
  if (url.protocol !== 'https:') throw invalid('url must begin with https://.');
  if (url.username !== '' || url.password !== '') throw invalid('url must not carry a user name or password.');
  if (isPrivateHost(url.hostname)) throw invalid('url leads to a private address; a webhook reaches public ones only.');
  return text;
}

function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const family = isIP(host);
  if (family === 0) return /(?:^|\.)(?:localhost|local|internal)$/i.test(host);
  // An IPv4 address in IPv6 notation is found by the IPv4 ranges.
  return PRIVATE.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

function invalid(sentence: string): TollbookError {
  return new TollbookError('invalid', sentence, 'url');
}
