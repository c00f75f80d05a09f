import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Scheduler, systemScheduler } from '../clock.ts';

const LOOKUP_MS_MAX = 5_000;

/** What may be reached: says why nothing may be sent somewhere, in a sentence; null = it may. */
export interface AddressGuard {
  /** By what is written in the address; it is asked first, and what it lets through is a URL. */
  refuseUrl(text: string): string | null;
  /** By one of the IP addresses that the URL leads to. */
  refuseAddress(url: URL, ip: string): string | null;
}

/** The IP addresses of a host name. Rejects where there are none. */
export type HostLookup = (host: string) => Promise<readonly string[]>;

/** As every program on this machine would look it up. */
export const systemLookup: HostLookup = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

export type FoundAddresses =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly reason: 'blocked' | 'dns'; readonly message: string };

/** Where a URL leads. One address that may not be reached spoils all: a name has no reason to have both kinds. */
export async function findAddresses(url: URL, guard: AddressGuard, lookup: HostLookup): Promise<FoundAddresses> {
  const host = urlHost(url);
  let addresses: readonly string[];
  try {
    addresses = isIP(host) === 0 ? await lookup(host) : [host];
  } catch (error) {
    return { ok: false, reason: 'dns', message: `No address was found for ${host}${errorCodeText(error)}.` };
  }
  if (addresses.length === 0) return { ok: false, reason: 'dns', message: `No address was found for ${host}.` };
  for (const ip of addresses) {
    const message = guard.refuseAddress(url, ip);
    if (message !== null) return { ok: false, reason: 'blocked', message };
  }
  return { ok: true, addresses };
}

/** Says why an address should not even be kept; null = it may. So may one that nobody can look up now, or not soon. */
export async function refuseNow(
  text: string,
  guard: AddressGuard,
  lookup: HostLookup,
  scheduler: Scheduler = systemScheduler,
): Promise<string | null> {
  const refusal = guard.refuseUrl(text);
  if (refusal !== null) return refusal;
  const late = Promise.withResolvers<null>();
  const stop = scheduler.later(() => late.resolve(null), LOOKUP_MS_MAX);
  try {
    const found = await Promise.race([findAddresses(new URL(text), guard, lookup), late.promise]);
    return found?.ok === false && found.reason === 'blocked' ? found.message : null;
  } finally {
    stop();
  }
}

/** As sockets and certificates know it: without the brackets of an IPv6 address and the dot of the root. */
export function urlHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** The system's or the library's code for what went wrong, in brackets; never its sentence, which may hold more. */
export function errorCodeText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[A-Z\d_]{1,64}$/.test(code) ? ` (${code})` : '';
}
