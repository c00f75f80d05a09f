/**
 * Compiles src into dist. `--if-needed` returns at once when dist is newer than everything it is made of. The new dist
 * is built beside the old one and takes its place whole, so a build that fails or is interrupted leaves no half.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const next = join(root, 'dist.next');

if (!(process.argv.includes('--if-needed') && isFresh())) build();

function isFresh() {
  const entry = join(dist, 'main.js');
  if (!existsSync(entry)) return false;
  const builtAt = statSync(entry).mtimeMs;
  // Folders are inputs too: theirs is the only time that moves when a source file is deleted.
  const inputs = ['tsconfig.json', 'tsconfig.build.json', 'package.json', 'src', ...globSync('src/**', { cwd: root })];
  return inputs.every((path) => statSync(join(root, path)).mtimeMs < builtAt);
}

function build() {
  const startedAt = new Date();
  rmSync(next, { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, [compiler(), '-p', 'tsconfig.build.json', '--outDir', next], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) {
    rmSync(next, { recursive: true, force: true });
    process.exit(1);
  }
  // A source edited while the compiler ran is newer than this, so the next start compiles it.
  utimesSync(join(next, 'main.js'), startedAt, startedAt);
  rmSync(dist, { recursive: true, force: true });
  renameSync(next, dist);
}

function compiler() {
  try {
    const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
    return join(dirname(manifest), 'bin', 'tsc');
  } catch {
    process.stderr.write('TypeScript is not installed, so Tollbook cannot be built. Run `npm install` first.\n');
    return process.exit(1);
  }
}
