/** Reasons by code of Node, OpenSSL or undici, in words. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection closed by the server'],
  ['UND_ERR_SOCKET', 'connection closed by the server'],
  ['ENOTFOUND', 'name not found'],
  ['EAI_AGAIN', 'name not found'],
  ['EHOSTUNREACH', 'no route to the host'],
  ['ENETUNREACH', 'no route to the network'],
  ['ETIMEDOUT', 'no connection in time'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no connection in time'],
  ['TimeoutError', 'no answer in time'],
  ['UND_ERR_HEADERS_TIMEOUT', 'no answer in time'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS, self-signed certificate'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'TLS, self-signed certificate'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'TLS, certificate of an unknown issuer'],
  ['CERT_HAS_EXPIRED', 'TLS, certificate expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS, certificate of another name'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS, the server does not speak it'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'TLS, the server does not speak it'],
  ['EPROTO', 'TLS, the handshake failed'],
]);
const CAUSES_MAX = 5;

/** Says in words why a request failed: the first cause that is known, else the code or message of the innermost. */
export function networkReason(error: unknown): string {
  const causes = listCauses(error);
  for (const cause of causes) {
    const code = codeIn(cause);
    const reason = REASONS.get(code ?? cause.name);
    if (reason !== undefined) return code === null ? reason : `${reason}, ${code}`;
  }
  const last = causes.at(-1);
  return (last && codeIn(last)) ?? (last?.message || 'unknown reason');
}

/** Returns the code of an error of the system; null = none, or the number that a `DOMException` has. */
function codeIn(error: Error): string | null {
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Returns an error and its causes, the outermost first. An error of several attempts has those of the first one. */
function listCauses(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error && causes.length < CAUSES_MAX;) {
    causes.push(at);
    const attempts: readonly unknown[] = at instanceof AggregateError ? at.errors : [];
    at = at.cause ?? attempts[0];
  }
  return causes;
}
