/** A request as the sign-in sees it. */
export interface RequestInfo {
  readonly headers: Headers;
  /** Where it comes from, as the gate says; null = not known. */
  readonly address: string | null;
  /** `set-cookie` lines of its answer. */
  readonly cookies: string[];
}

/** The gate says where a request comes from; nobody else gets this header past it. */
const ADDRESS_HEADER = 'x-svc-client-address';

export function readRequestInfo({ headers }: Request): RequestInfo {
  return { headers, address: headers.get(ADDRESS_HEADER), cookies: [] };
}
