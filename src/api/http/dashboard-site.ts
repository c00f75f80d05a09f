import type { Context } from 'hono';
import { acceptedEncoding, type SiteFiles, type SiteFile } from '../../lib/http/site-files.ts';

const INDEX = 'index.html';
/** Their names change with their content. */
const ASSETS = 'assets/';
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Kept, and asked for again each time. */
const REVALIDATED = 'no-cache';
/** Below these nothing is a page, so that a wrong address of the API stays an error that programs can read. */
const NO_PAGES = ['/api/', '/assets/', '/mcp'];

/** What a page may do: nothing that its own address did not send as a file. */
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

/** Answers with what was built of the dashboard; its own addresses (`/keys`) are all the one page. */
export class DashboardSite {
  readonly #site: SiteFiles;
  readonly #index: SiteFile;

  private constructor(site: SiteFiles, index: SiteFile) {
    this.#site = site;
    this.#index = index;
  }

  /** null = none was built. */
  static of(site: SiteFiles | null): DashboardSite | null {
    const index = site?.get(INDEX);
    return site && index ? new DashboardSite(site, index) : null;
  }

  page(context: Context): Response {
    const { bytes, etag, type } = this.#index;
    if (isFresh(context, etag)) return notModified(context, etag, REVALIDATED);
    return context.body(bytes, 200, { ...PAGE_HEADERS, 'content-type': type, 'cache-control': REVALIDATED, etag });
  }

  /** What no endpoint takes: a file, the page, or null for nothing. */
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
