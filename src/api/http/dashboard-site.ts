import type { Context } from 'hono';
import { acceptedEncoding, type SiteFiles, type SiteFile } from '../../lib/http/site-files.ts';

const INDEX = 'index.html';
/** Folder of files whose names change with their content. */
const ASSETS = 'assets/';
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Cached, but validated each time. */
const REVALIDATED = 'no-cache';
/** Paths below these are never pages, so that programs get an error for a wrong API address. */
const NO_PAGES = ['/api/', '/assets/', '/mcp'];

/** Content security policy of pages: they load and run only files from their own address. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

/** Serves the built dashboard. Its addresses (`/keys`) all serve the same page. */
export class DashboardSite {
  readonly #site: SiteFiles;
  readonly #index: SiteFile;

  private constructor(site: SiteFiles, index: SiteFile) {
    this.#site = site;
    this.#index = index;
  }

  /** null = the dashboard is not built. */
  static of(site: SiteFiles | null): DashboardSite | null {
    const index = site?.get(INDEX);
    return site && index ? new DashboardSite(site, index) : null;
  }

  page(context: Context): Response {
    const { bytes, etag, type } = this.#index;
    if (isFresh(context, etag)) return notModified(context, etag, REVALIDATED);
    return context.body(bytes, 200, { ...PAGE_HEADERS, 'content-type': type, 'cache-control': REVALIDATED, etag });
  }

  /** Answers a request that no endpoint handles: with a file, the page, or null for neither. */
  answer(context: Context): Response | null {
    const { method, path } = context.req;
    if (method !== 'GET' && method !== 'HEAD') return null;
    const name = path.slice(1);
    const file = name === INDEX ? undefined : this.#site.get(name);
    if (file) return sendFile(context, file, name.startsWith(ASSETS) ? IMMUTABLE : REVALIDATED);
    if (NO_PAGES.some((prefix) => path.startsWith(prefix))) return null;
    return context.req.header('accept')?.includes('text/html') ? this.page(context) : null;
  }
}

function sendFile(context: Context, { bytes, encoded, etag, type }: SiteFile, caching: string): Response {
  if (isFresh(context, etag)) return notModified(context, etag, caching);
  const encoding = acceptedEncoding(context.req.header('accept-encoding'));
  const made = encoding ? encoded[encoding] : undefined;
  return context.body(made ?? bytes, 200, {
    'content-type': type,
    'cache-control': caching,
    'cross-origin-resource-policy': 'same-origin',
    vary: 'accept-encoding',
    etag,
    ...(encoding && made && { 'content-encoding': encoding }),
  });
}

function isFresh(context: Context, etag: string): boolean {
  const known = context.req.header('if-none-match') ?? '';
  return known.split(',').some((one) => one.trim() === etag);
}

function notModified(context: Context, etag: string, caching: string): Response {
  return context.body(null, 304, { etag, 'cache-control': caching });
}
