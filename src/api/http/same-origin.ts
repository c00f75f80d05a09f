import { TollbookError } from '../../domain/errors.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Throws `cross_site` for a request that a browser sends for a page that is not ours. Browsers say which page it is for:
 * by `sec-fetch-site`, old ones by `origin`. What says neither and wants to change something is refused with a cookie:
 * no browser sends that. @param withCookie what is asked may rest on the session's cookie
 */
export function requireSameOrigin(request: Request, baseUrl: string, withCookie: boolean): void {
  const { headers, method } = request;
  if (SAFE_METHODS.has(method) ? !isReadByOtherSite(headers) : isChangeBySameOrigin(headers, baseUrl, withCookie))
    return;
  throw new TollbookError('cross_site', 'This request comes from a page of another site, so it is not answered.');
}

/** Whoever follows a link from elsewhere to ours may, but no page of another site reads or measures answers. */
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
  // The service may have other names than the one it shows; `null` is what frames and files without a page say.
  return URL.canParse(origin) && new URL(origin).host === headers.get('host');
}

/** A body that no form of another page can send, or none. Throws `unsupported_media_type`. */
export function requireJsonBody(request: Request): void {
  const type = request.headers.get('content-type');
  if (type === null || /^application\/json\s*(?:;|$)/i.test(type)) return;
  throw new TollbookError(
    'unsupported_media_type',
    'Send the body as JSON, with the header "content-type: application/json".',
  );
}
