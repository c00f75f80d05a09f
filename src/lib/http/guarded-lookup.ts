import dns from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Scheduler, systemScheduler } from '../clock.ts';

const LOOKUP_MS_MAX = 5_000;

/** Decides which addresses may be reached. Methods return a sentence with the reason, or null = allowed. */
export interface AddressGuard {
  /** Judges the address as written, first; it must be a valid URL to pass. */
  refuseUrl(text: string): string | null;
  /** Judges one of the IP addresses that the URL resolves to. */
  refuseAddress(url: URL, ip: string): string | null;
}

/** The IP addresses of a host name. Rejects where there are none. */
export type HostLookup = (host: string) => Promise<readonly string[]>;

/** Looks up a host like other programs on this machine. */
export const systemLookup: HostLookup = async (host) =>
  (await dns.lookup(host, { all: true })).map(({ address }) => address);

export type FoundAddresses =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly reason: 'blocked' | 'dns'; readonly message: string };

/** Resolves a URL. One forbidden address refuses all, because a name has no reason to have both kinds. */
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

/** Returns why an address may not be stored; null = it may, also when it cannot be resolved now. */
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

/** Returns the host name as sockets and certificates know it: without IPv6 brackets and the final dot. */
export function urlHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** The system's or the library's code for what went wrong, in brackets; never its sentence, which may hold more. */
export function errorCodeText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[A-Z\d_]{1,64}$/.test(code) ? ` (${code})` : '';
}
