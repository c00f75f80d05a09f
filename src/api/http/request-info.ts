/** The parts of a request that signing in needs. */
export interface RequestInfo {
  readonly headers: Headers;
  /** Client address from the gateway; null = unknown. */
  readonly address: string | null;
  /** Lines of the answer's `set-cookie` headers. */
  readonly cookies: string[];
}

/** Header in which the gateway passes the client address. Clients can't set it. */
const ADDRESS_HEADER = 'x-svc-client-address';

export function readRequestInfo({ headers }: Request): RequestInfo {
  return { headers, address: headers.get(ADDRESS_HEADER), cookies: [] };
}
