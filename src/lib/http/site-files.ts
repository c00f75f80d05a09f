import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

/** A file as it goes over the wire. */
export interface SiteFile {
  readonly type: string;
  /** Weak, because it identifies the same content in every encoding. */
  readonly etag: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Compressed copies made by the build. */
  readonly encoded: Readonly<Partial<Record<SiteEncoding, Uint8Array<ArrayBuffer>>>>;
}

/** Files by path below the folder, with `/` between names. */
export type SiteFiles = ReadonlyMap<string, SiteFile>;

const SITE_ENCODINGS = ['br', 'gzip'] as const;
export type SiteEncoding = (typeof SITE_ENCODINGS)[number];

const SUFFIXES: Readonly<Record<SiteEncoding, string>> = { br: '.br', gzip: '.gz' };
/** A built site is a few MiB, its compressed copies included. */
const SITE_BYTES_MAX = 64 * 1_024 * 1_024;
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** The files of a folder, all in memory: a build that replaces them meanwhile leaves no half. null = there is no folder. */
export function readSite(folder: string): SiteFiles | null {
  if (!existsSync(folder)) return null;
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
  const bytes = paths.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);
  if (bytes > SITE_BYTES_MAX) throw new Error(`${folder} holds ${bytes} bytes, of ${SITE_BYTES_MAX} that are served`);
  const site = new Map<string, SiteFile>();
  for (const path of paths) {
    const type = TYPES[extname(path)];
    if (type !== undefined) site.set(path.replaceAll(sep, '/'), readFile(join(folder, path), type));
  }
  return site;
}

function readFile(path: string, type: string): SiteFile {
  const bytes = new Uint8Array(readFileSync(path));
  const encoded: Partial<Record<SiteEncoding, Uint8Array<ArrayBuffer>>> = {};
  for (const encoding of SITE_ENCODINGS) {
    const made = path + SUFFIXES[encoding];
    if (existsSync(made)) encoded[encoding] = new Uint8Array(readFileSync(made));
  }
  return { type, etag: `W/"${hash('sha256', bytes, 'base64url').slice(0, ETAG_CHARACTERS)}"`, bytes, encoded };
}

const ETAG_CHARACTERS = 22;

/** The first of our encodings that the header takes; null = as it is. */
export function acceptedEncoding(header: string | null | undefined): SiteEncoding | null {
  const taken = new Set(
    (header ?? '')
      .toLowerCase()
      .split(',')
      .map((part) => part.split(';').map((piece) => piece.trim()))
      .filter(([, quality]) => !/^q=0(\.0*)?$/.test(quality ?? ''))
      .map(([name]) => name),
  );
  return SITE_ENCODINGS.find((encoding) => taken.has(encoding)) ?? null;
}
