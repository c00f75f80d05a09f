import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Asked, openTestLedger, type TestLedger } from '../../../test/test-ledger.ts';
import { readSite } from '../../lib/http/site-files.ts';

const SCRIPT = 'export const shown = 1;\n'.repeat(50);
const PAGE = '<!doctype html><script src="/assets/main-1a2b.js"></script>';
const BROWSER = { accept: 'text/html,application/xhtml+xml', 'accept-encoding': 'gzip, deflate, br, zstd' };

let folder: string;
let opened: TestLedger;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-site-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, 'assets/main-1a2b.js'), SCRIPT);
  writeFileSync(join(folder, 'assets/main-1a2b.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, 'assets/main-1a2b.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(folder, 'assets/notes.secret'), 'not of a kind that is served');
  opened = await openTestLedger({}, { site: readSite(folder) });
});
afterAll(async () => {
  await opened.close();
  rmSync(folder, { recursive: true });
});

/** Sends a request as a browser without an account. */
function get(path: string, headers: Asked['headers'] = BROWSER, method = 'GET'): Promise<Response> {
  return opened.ask(path, { token: null, headers, method });
}

test('every address of the dashboard returns its one page, with a policy that allows no inline script', async () => {
  for (const path of ['/', '/keys', '/calls/call_1', '/alerts/al_1', '/settings/members?tab=x']) {
    const answer = await get(path);
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe/);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('a page in the browser’s cache is not sent again, and keeps its policy', async () => {
  const etag = (await get('/')).headers.get('etag') ?? '';
  const again = await get('/', { ...BROWSER, 'if-none-match': etag });
  expect([again.status, again.headers.get('content-security-policy')]).toEqual([304, null]);
  expect(again.headers.get('cache-control')).toBe('no-cache');
});

test.each([
  ['br, gzip', 'br', brotliDecompressSync],
  ['gzip, deflate', 'gzip', gunzipSync],
  ['br;q=0, gzip', 'gzip', gunzipSync],
  ['identity', null, (bytes: Buffer): Buffer => bytes],
])('an asset is sent as it was precompressed (%s)', async (accepted, encoding, decode) => {
  const answer = await get('/assets/main-1a2b.js', { 'accept-encoding': accepted });
  expect(answer.headers.get('content-encoding')).toBe(encoding);
  expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(answer.headers.get('vary')).toBe('accept-encoding');
  expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(decode(Buffer.from(await answer.arrayBuffer())).toString()).toBe(SCRIPT);
});

test('files next to the page are revalidated each time', async () => {
  const answer = await get('/favicon.svg');
  expect([answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
    'image/svg+xml',
    'no-cache',
  ]);
  const etag = answer.headers.get('etag') ?? '';
  expect((await get('/favicon.svg', { 'if-none-match': `"other", ${etag}` })).status).toBe(304);
});

test.each([
  ['/api/nothing', BROWSER],
  ['/api/mcp/nothing', BROWSER],
  ['/assets/gone-9f9f.js', BROWSER],
  ['/assets/notes.secret', BROWSER],
  ['/assets/..%2findex.html', BROWSER],
  ['/keys', { accept: '*/*' }],
  ['/keys', { accept: 'application/json' }],
])('any other address returns an error that programs can read (%s)', async (path, headers) => {
  const answer = await get(path, headers);
  expect([answer.status, ((await answer.json()) as { type: string }).type]).toEqual([404, 'not_found']);
});

test('a page allows only GET and HEAD', async () => {
  expect((await get('/keys', BROWSER, 'POST')).status).toBe(404);
  const head = await get('/keys', BROWSER, 'HEAD');
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('without a built dashboard, the plain page says how to build it', async () => {
  expect(readSite(join(folder, 'nowhere'))).toBeNull();
  const plain = await openTestLedger();
  const page = await plain.ask('/', { token: null, headers: BROWSER });
  expect(await page.text()).toContain('npm run build');
  expect((await plain.ask('/keys', { token: null, headers: BROWSER })).status).toBe(404);
  await plain.close();
});
