import { parseAddress } from '../domain/identity/address-range.ts';

/**
 * Whether a request names us by what nobody else can make lead here: an address, a name without a dot, or the one that
 * we are known by. A page of another site can have its own name lead to this machine, and would then be ours to a
 * browser.
 */
export function isOwnHost(host: string | null, baseUrl: string): boolean {
  // No browser leaves it out.
  if (host === null) return true;
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  if (hostname === new URL(baseUrl).hostname || hostname.endsWith('.localhost')) return true;
  return !hostname.includes('.') || parseAddress(hostname) !== null;
}
