import { ERROR_STATUS } from '../../domain/errors.ts';
import { parseAddress, parseAddressRange, isInRange } from '../../domain/identity/address-range.ts';

interface KnownHostsOptions {
  /** Name or address that the gateway listens on. */
  readonly listensAt: string;
  /** Address that is shown to users. */
  readonly baseUrl: string;
  /** Further names that the operator allows, in lower case. */
  readonly allowed: readonly string[];
}

const LOOPBACK_RANGES = ['127.0.0.0/8', '::1'].flatMap((range) => parseAddressRange(range) ?? []);
const SHOWN_HOST_MAX = 100;

/**
 * Host names that requests may use. A page of another site can point its own name at this machine (DNS rebinding) and
 * read what needs no secret, such as `/metrics`. A gateway on a loopback address has no other protection, so it
 * answers only to names that such a page can't have.
 */
export class KnownHosts {
  readonly #options: KnownHostsOptions;
  readonly #names: ReadonlySet<string>;
  /** True if names are checked: on loopback addresses, and where the operator lists some. */
  readonly #checks: boolean;

  constructor(options: KnownHostsOptions) {
    this.#options = options;
    this.#names = new Set([new URL(options.baseUrl).hostname.replace(/\.$/, ''), ...options.allowed]);
    this.#checks = options.allowed.length > 0 || isLoopback(options.listensAt);
  }

  /**
   * Returns why a request is not answered; null = it is answered.
   * @param host the `Host` header as sent
   */
  refusal(host: string | undefined): HostRefusal | null {
    // Every browser sends a host.
    if (!this.#checks || host === undefined) return null;
    const name = hostName(host);
    if (name === null) return toHostRefusal('invalid', 'The host of this request is not well-formed.');
    if (isLocalName(name) || this.#names.has(name)) return null;
    const shown = JSON.stringify(host.slice(0, SHOWN_HOST_MAX));
    return toHostRefusal(
      'cross_site',
      `This service does not answer to the host ${shown}. Open it at ${this.#options.baseUrl}, or add the name to SVC_ALLOWED_HOSTS and restart it.`,
    );
  }
}

export interface HostRefusal {
  readonly status: number;
  readonly body: string;
}

function toHostRefusal(type: 'cross_site' | 'invalid', error: string): HostRefusal {
  return { status: ERROR_STATUS[type], body: JSON.stringify({ error, type }) };
}

function isLoopback(host: string): boolean {
  const address = parseAddress(host.replaceAll(/^\[|\]$/g, ''));
  return address ? LOOPBACK_RANGES.some((range) => isInRange(address, range)) : hostName(host) === 'localhost';
}

/** Reports names that no name server can point at another machine or claim for a site: addresses and `localhost`. */
function isLocalName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || parseAddress(name.replaceAll(/^\[|\]$/g, '')) !== null;
}

/** Returns the name in a `Host` header as a browser compares it, without port and final dot; null = invalid. */
function hostName(host: string): string | null {
  const url = URL.parse(`http://${host}`);
  if (!url || url.pathname !== '/' || url.username !== '' || url.search !== '' || url.hash !== '') return null;
  return url.hostname.replace(/\.$/, '');
}
