import { TollbookError } from '../../domain/errors.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Throws `cross_site` for a request that a browser sends for a page of another site. Browsers name the page's site in
 * `sec-fetch-site`, old ones in `origin`. A change with a cookie but without either header is refused: no browser sends
 * that.
 * @param withCookie what is asked may rest on the session's cookie
 */
export function requireSameOrigin(request: Request, baseUrl: string, withCookie: boolean): void {
  const { headers, method } = request;
  if (SAFE_METHODS.has(method) ? !isReadByOtherSite(headers) : isChangeBySameOrigin(headers, baseUrl, withCookie))
    return;
  throw new TollbookError(
    'cross_site',
    "Request refused: it comes from a page of another site. Open Tollbook's own address.",
  );
}

/**
 * Returns true if another site would read the answer. Following a link to Tollbook is allowed; reading or measuring
 * answers is not.
 */
function isReadByOtherSite(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site');
  if (site === null || site === 'same-origin' || site === 'none') return false;
  return headers.get('sec-fetch-mode') !== 'navigate';
}

function isChangeBySameOrigin(headers: Headers, baseUrl: string, withCookie: boolean): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  if (origin === null) return !withCookie;
  if (origin === new URL(baseUrl).origin) return true;
  // The service may have other names than its configured one. Frames and files without a page send `null`.
  return URL.canParse(origin) && new URL(origin).host === headers.get('host');
}

/** Requires a JSON body or none: forms of other sites can't send JSON. Throws `unsupported_media_type`. */
export function requireJsonBody(request: Request): void {
  const type = request.headers.get('content-type');
  if (type === null || /^application\/json\s*(?:;|$)/i.test(type)) return;
  throw new TollbookError(
    'unsupported_media_type',
    'Send the body as JSON, with the header "content-type: application/json".',
  );
}
