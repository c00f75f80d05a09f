import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Maximum size of the scripts for the overview, compressed by gzip. */
const FIRST_LOAD_BYTES_MAX = 220_000;
const ENTRY = 'index.html';
const OVERVIEW = ['src/features/overview/overview-page.tsx'];
/** First pages of people who are not signed in. */
const AUTH_PAGES = ['claim', 'invitation', 'sign-in'].map((name) => `src/features/auth/${name}-page.tsx`);

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
}

let folder: string;
let manifest: Readonly<Record<string, Chunk>>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-dashboard-'));
  const args = ['node_modules/vite/bin/vite.js', 'build', 'dashboard', '--outDir', folder, '--manifest'];
  const { status, stderr } = spawnSync(process.execPath, args, { env: { ...process.env, NODE_ENV: 'production' } });
  if (status !== 0) throw new Error(`The dashboard does not build:\n${stderr.toString()}`);
  manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as typeof manifest;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the files of these chunks and of their imports. */
function filesOf(names: readonly string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    const chunk = manifest[name];
    if (!chunk) throw new Error(`The build has no ${name}.`);
    if (found.has(chunk.file)) continue;
    found.add(chunk.file);
    filesOf(chunk.imports ?? [], found);
  }
  return found;
}

test.each(AUTH_PAGES)(
  'the script from %s to the overview, chart included, stays under 220 kB compressed',
  (authPage) => {
    const sizes = [...filesOf([ENTRY, authPage, ...OVERVIEW])].map((file) => {
      const { length } = gzipSync(readFileSync(join(folder, file)));
      return { file, length };
    });
    const total = sizes.reduce((sum, { length }) => sum + length, 0);
    expect(total, JSON.stringify(sizes)).toBeLessThan(FIRST_LOAD_BYTES_MAX);
  },
);

test('our style rules come after those of the library', () => {
  const style = readdirSync(join(folder, 'assets')).find((name) => name.endsWith('.css')) ?? '';
  const text = readFileSync(join(folder, 'assets', style), 'utf8');
  const layers = new Set([...text.matchAll(/@layer ([a-z, ]+)[{;]/g)].flatMap(([, names = '']) => names.split(/, ?/)));
  expect([...layers]).toEqual(['base', 'mantine', 'own']);
});

test('the page has no inline script or style, which the policy forbids', () => {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  expect(page).toMatch(/<script[^>]+src=/);
  expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|javascript:/);
});
