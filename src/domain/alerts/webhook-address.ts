import { type AddressRange, isInRange, parseAddress, parseAddressRange } from '../identity/address-range.ts';
import { TollbookError } from '../errors.ts';
import { isPublicAddress } from '../identity/public-address.ts';

/** Addresses that webhooks may reach in addition to public ones over https. */
export interface WebhookAllow {
  /** May be reached over plain http too. */
  readonly ranges: readonly AddressRange[];
  /** Names in lower case that may lead anywhere, over plain http too. */
  readonly hosts: readonly string[];
  /** Plain http to public addresses. */
  readonly plainHttp: boolean;
}

/** Says why nothing may be sent somewhere, in a sentence; null = it may. */
export interface WebhookGuard {
  /** Judges the address as written. The target of a host name is not known yet. */
  refuseUrl(text: string): string | null;
  /** Judges an IP address that the URL resolves to. */
  refuseAddress(url: URL, ip: string): string | null;
}

const URL_CHARACTERS_MAX = 2_048;
const HOST_NAME = /^(?=.{1,253}$)(?:[a-z\d_-]{1,63}\.)*[a-z\d_-]{1,63}$/;
/** Names that only the own network knows (RFC 6762, 8375, 9476 and habit); a name without a dot is one too. */
const OWN_NAME = /(?:^|\.)(?:localhost|localdomain|local|internal|home\.arpa)$/;
/** Line breaks and spaces would be dropped, backslashes turned into slashes: what is reached is not what was read. */
const MISLEADING = /[\u0000-\u0020\u007f\\]/;
const HOW_TO_ALLOW = 'the operator can allow it with SVC_WEBHOOK_ALLOW';

/** Ports of other protocols, which could take a request for a command of theirs: the list of the Fetch standard. */
const OTHER_PORTS: ReadonlySet<string> = new Set(
  (
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 ' +
    '135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 ' +
    '995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'
  ).split(' '),
);

/**
 * Reads address ranges, host names and the word `http`, separated by commas or spaces; '' = nothing more is allowed.
 * @throws TollbookError `invalid`, about `name`.
 */
export function parseWebhookAllow(name: string, text: string): WebhookAllow {
  const items = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((item) => item !== '');
  const ranges: AddressRange[] = [];
  const hosts: string[] = [];
  for (const item of items) {
    const range = parseAddressRange(item);
    const host = item.replace(/\.$/, '');
    if (range) ranges.push(range);
    else if (isHostName(host)) hosts.push(host);
    else
      throw new TollbookError(
        'invalid',
        `${name} has "${item}"; write address ranges such as 10.0.0.0/8, host names, or the word http, separated by commas.`,
        name,
      );
  }
  return { ranges, hosts: hosts.filter((host) => host !== 'http'), plainHttp: hosts.includes('http') };
}

/** Checks before anything is sent: public addresses over https, and what the operator allows. */
export function webhookGuard({ ranges, hosts, plainHttp }: WebhookAllow): WebhookGuard {
  function refuseAddress(url: URL, ip: string): string | null {
    const address = parseAddress(ip);
    const host = webhookHostName(url);
    if (hosts.includes(host)) return null;
    if (address && ranges.some((range) => isInRange(address, range))) return null;
    if (!address || !isPublicAddress(address))
      return `${host} ${host === ip ? 'is' : 'leads to'} a private address; ${HOW_TO_ALLOW}.`;
    return url.protocol === 'https:' || plainHttp ? null : mustBeSecure();
  }

  function refuseUrl(text: string): string | null {
    const url = parseUrl(text);
    if (typeof url === 'string') return url;
    const host = webhookHostName(url);
    if (parseAddress(host)) return refuseAddress(url, host);
    if (!isHostName(host)) return 'The address has no host name that can be looked up.';
    if (hosts.includes(host)) return null;
    // With allowed ranges, it depends on where the name leads.
    if (ranges.length > 0) return null;
    if (OWN_NAME.test(host) || !host.includes('.')) return `${host} is a name of a private network; ${HOW_TO_ALLOW}.`;
    return url.protocol === 'https:' || plainHttp ? null : mustBeSecure();
  }

  return { refuseUrl, refuseAddress };
}

/** Networks of the operator; link-local addresses, where clouds keep their secrets, are not among them. */
const OWN_NETWORKS = [
  '127.0.0.0/8',
  '::1',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
];

/** Checks addresses that only the operator can set, which often are in a private network. */
export function operatorGuard(allow: WebhookAllow): WebhookGuard {
  const own = OWN_NETWORKS.map(parseAddressRange).filter((range) => range !== null);
  return webhookGuard({ ...allow, ranges: [...own, ...allow.ranges] });
}

/** Parses the address of a webhook. Returns a sentence for texts that are never valid. */
function parseUrl(text: string): URL | string {
  if (MISLEADING.test(text)) return 'The address has spaces, line breaks or backslashes; leave them out.';
  if (text.length > URL_CHARACTERS_MAX) return `The address is longer than ${URL_CHARACTERS_MAX} characters.`;
  const url = URL.parse(text);
  if (!url) return 'This is not an address; write for instance https://example.com/hook.';
  if (!/^https?:$/.test(url.protocol)) return 'The address must begin with https://.';
  if (url.username !== '' || url.password !== '') return 'The address must not carry a user name or password.';
  if (text.includes('#')) return 'The address must not have a part behind #; it would not be sent.';
  if (OTHER_PORTS.has(url.port)) return `Port ${url.port} belongs to another protocol; use another one.`;
  return url;
}

/** Without the brackets of an IPv6 address and the dot of the root. */
function webhookHostName(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** The last part of a name is never a number: that would be an address. */
function isHostName(text: string): boolean {
  return HOST_NAME.test(text) && !/(?:^|\.)(?:\d+|0x[\da-f]*)$/.test(text);
}

function mustBeSecure(): string {
  return `The address must begin with https://; ${HOW_TO_ALLOW}.`;
}
