import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** A thread is listed if it loads this part of a folder's files. */
const LOADED_LEAST = 0.2;
const IMPORT = /^(?:import|export) (?!type )[^;]*?from '(\.[^']+)';|import\('(\.[^']+)'\)/gm;

/** Returns the files that a thread loads, from its first one on. Imports of types alone load nothing. */
function loadedFiles(first: string): Set<string> {
  const loaded = new Set<string>();
  const waiting = [first];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (loaded.has(path) || !existsSync(path)) continue;
    loaded.add(path);
    for (const [, named, dynamic = ''] of readFileSync(path, 'utf8').matchAll(IMPORT))
      waiting.push(join(dirname(path), named ?? dynamic));
  }
  return loaded;
}

test('ARCHITECTURE.md lists the threads that load each folder', () => {
  const rows = readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/^\| `([\w/-]+)\/` +\| ([^|]*?) +\|[^|]*\|[^|]*\|$/gm);
  const listed = [...rows].filter(([, folder]) => folder !== 'dashboard');
  expect(listed.length).toBeGreaterThan(25);
  const threads = { gateway: loadedFiles('src/gateway/serve.ts'), ledger: loadedFiles('src/ledger/thread.ts') };
  for (const [, folder = '', column = ''] of listed) {
    const files = globSync(`src/${folder}/**/*.ts`).filter((path) => !path.includes('.test.'));
    const isLoadedBy = (thread: keyof typeof threads): boolean =>
      files.filter((path) => threads[thread].has(path)).length >= LOADED_LEAST * files.length;
    const isTypes = files.every((path) => !threads.gateway.has(path) && !threads.ledger.has(path));
    if (isTypes) continue;
    const words = column === 'both' ? ['gateway', 'ledger'] : column.split(', ');
    const found = (['gateway', 'ledger'] as const).filter(isLoadedBy);
    expect([folder, words.filter((word) => word === 'gateway' || word === 'ledger')]).toEqual([folder, found]);
  }
});
