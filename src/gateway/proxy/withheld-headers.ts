import { KEY_HEADERS } from '../../lib/http/key-headers.ts';

/** The connection's own headers (RFC 9110 §7.6.1): they end at each hop, in both directions. */
const HOP_HEADERS = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-extensions',
  'sec-websocket-protocol',
  'sec-websocket-accept',
];

/** Request headers that the gateway sets itself, or that hold the client's secrets. */
const GATEWAY_REQUEST_HEADERS = [
  'host',
  'content-length',
  'content-encoding',
  'expect',
  ...KEY_HEADERS,
  // The client's signature for AWS.
  'x-amz-date',
  'x-amz-security-token',
  'x-amz-content-sha256',
  'accept-encoding',
  // A browser's session with this host.
  'cookie',
];

/** Request headers that would make a provider read another request, or leave the usage out of its answer. */
const REWRITING_HEADERS = [
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-rewrite-url',
  'x-override-url',
  'x-goog-fieldmask',
];

/**
 * Request headers in which proxies, content networks and identity-aware gateways state who the client is. A provider
 * learns none of it. Headers that programs themselves send (`user-agent`, `x-stainless-*`, `x-client-request-id`,
 * `traceparent`, `http-referer`, `cf-aig-metadata` …) are not listed and travel on.
 */
const IDENTITY_HEADERS = [
  'forwarded',
  'forwarded-for',
  'forwarded-for-ip',
  'x-forwarded',
  'x-forward-for',
  'via',
  'x-real-ip',
  'true-client-ip',
  'client-ip',
  'x-client-ip',
  'x-client-cert',
  'x-cluster-client-ip',
  'x-remote-ip',
  'x-remote-addr',
  'x-remote-user',
  'remote-user',
  'remote-groups',
  'remote-name',
  'remote-email',
  'x-originating-ip',
  'x-proxyuser-ip',
  'proxy-client-ip',
  'wl-proxy-client-ip',
  'cdn-loop',
  'fastly-client-ip',
  'fly-client-ip',
  'do-connecting-ip',
  'x-nf-client-connection-ip',
  'x-sucuri-clientip',
  'incap-client-ip',
  'x-akamai-edgescape',
  'x-azure-clientip',
  'x-azure-socketip',
  'x-arr-clientcert',
  'x-goog-iap-jwt-assertion',
];
/** Patterns of how such names begin. */
const IDENTITY_PREFIXES = [
  'x-forwarded-',
  'x-envoy-',
  'x-original-',
  'x-auth-request-',
  'x-amzn-oidc-',
  'x-ms-client-principal',
  'x-ms-token-aad-',
  'x-goog-authenticated-user-',
  'x-appengine-user-',
  'x-vercel-(?:ip-|forwarded-for|proxied-for)',
  'x-webauth-',
  'x-authentik-',
  'x-pomerium-',
  'x-ssl-client-',
  'ssl-client-',
  'tailscale-',
  // Cloudflare's address, country and access headers.
  'cf-(?!aig-)',
];

/**
 * Patterns of headers by which another AI gateway would run a call several times, elsewhere or on another model. One hold
 * covers one run. Names that only describe the call or sign it in travel on.
 */
const REROUTING_PREFIXES = [
  'cf-aig-(?!(?:metadata|authorization|collect-log|skip-cache)$)',
  'helicone-(?!property-|session-|(?:auth|user-id|request-id)$)',
  'x-portkey-(?!(?:metadata|api-key|trace-id|provider)$)',
  'x-litellm-(?!(?:tags|api-key|trace-id)$)',
  'x-ms-spillover-',
];

/**
 * Answer headers by which a provider would act on the origin that the dashboard shares with the proxy, or lead a client
 * with its wrapped key elsewhere. None means anything to an API client.
 */
const ORIGIN_HEADERS = [
  'set-cookie',
  'set-cookie2',
  'set-login',
  'clear-site-data',
  'strict-transport-security',
  'alt-svc',
  'public-key-pins',
  'expect-ct',
  'service-worker-allowed',
  'location',
  'refresh',
  'link',
  'www-authenticate',
  'report-to',
  'reporting-endpoints',
  'nel',
  'accept-ch',
  'critical-ch',
  'origin-trial',
  'origin-agent-cluster',
  'permissions-policy',
  'document-policy',
  'referrer-policy',
  'speculation-rules',
  'use-as-dictionary',
  'activate-storage-access',
  'sourcemap',
  'x-sourcemap',
  'x-dns-prefetch-control',
  'x-frame-options',
  'cross-origin-opener-policy',
  'cross-origin-embedder-policy',
  // The gateway says these itself.
  'content-security-policy',
  'content-security-policy-report-only',
  'x-content-type-options',
];

const KEPT_FROM_PROVIDERS = new Set([
  ...HOP_HEADERS,
  ...GATEWAY_REQUEST_HEADERS,
  ...REWRITING_HEADERS,
  ...IDENTITY_HEADERS,
]);
const KEPT_FROM_PROVIDERS_PREFIX = new RegExp(`^(?:x-svc-|${[...IDENTITY_PREFIXES, ...REROUTING_PREFIXES].join('|')})`);
const KEPT_FROM_CLIENTS = new Set([...HOP_HEADERS, ...ORIGIN_HEADERS]);

/** Reports a request header that ends at the gateway. @param name in lower case */
export function isKeptFromProviders(name: string): boolean {
  return KEPT_FROM_PROVIDERS.has(name) || KEPT_FROM_PROVIDERS_PREFIX.test(name);
}

/** Reports an answer header that ends at the gateway. @param name in lower case */
export function isKeptFromClients(name: string): boolean {
  return KEPT_FROM_CLIENTS.has(name) || name.startsWith('x-svc-');
}
