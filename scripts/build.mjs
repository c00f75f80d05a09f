/**
 * Compiles src into dist, builds the dashboard into dist/dashboard and compresses its files. `--if-needed` does nothing
 * when dist is newer than all of its sources. The build goes to dist.next, which replaces dist at the end: a build that
 * fails or is interrupted leaves dist as it is.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const next = join(root, 'dist.next');
const nextDashboard = join(next, 'dashboard');
/** Smaller files gain nothing. */
const COMPRESSED_BYTES_MIN = 1_024;

const ifNeeded = process.argv.includes('--if-needed');
if (!(ifNeeded && isFresh())) await build();

function isFresh() {
  const entry = join(dist, 'main.js');
  if (!existsSync(entry)) return false;
  const builtAt = statSync(entry).mtimeMs;
  // Folders are inputs too: theirs is the only time that moves when a source file is deleted.
  const sources = globSync(['{src,dashboard}/**', 'docs/*.md'], {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  });
  const inputs = ['tsconfig.json', 'tsconfig.build.json', 'package.json', 'src', 'dashboard', 'docs', ...sources];
  return inputs.every((path) => statSync(join(root, path)).mtimeMs < builtAt);
}

async function build() {
  const startedAt = new Date();
  if (ifNeeded) say('Building Tollbook once (about 10 s): server and dashboard…');
  rmSync(next, { recursive: true, force: true });
  const compiler = programOf('typescript', 'bin/tsc');
  const bundler = programOf('vite', 'bin/vite.js');
  const built = await Promise.all([
    // Types are checked by `npm run lint`. Without them the server takes a seventh of the time.
    step('server', run(compiler, '-p', 'tsconfig.build.json', '--outDir', next, '--noCheck')),
    step(
      'dashboard',
      run(bundler, 'build', 'dashboard', '--outDir', nextDashboard, '--emptyOutDir', '--logLevel', 'warn'),
    ),
  ]);
  if (!built.every(Boolean)) {
    rmSync(next, { recursive: true, force: true });
    process.exit(1);
  }
  compress();
  say('  dashboard compressed');
  // A source edited while the compiler ran is newer than this, so the next start compiles it.
  utimesSync(join(next, 'main.js'), startedAt, startedAt);
  rmSync(dist, { recursive: true, force: true });
  renameSync(next, dist);
}

async function step(name, built) {
  const succeeded = await built;
  say(`  ${name} ${succeeded ? 'built' : 'failed'}`);
  return succeeded;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

/** Compresses once at build time, so that no response waits for it. */
function compress() {
  for (const path of globSync('assets/*.{js,css}', { cwd: nextDashboard })) {
    const file = join(nextDashboard, path);
    const bytes = readFileSync(file);
    if (bytes.length < COMPRESSED_BYTES_MIN) continue;
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }));
  }
}

async function run(...args) {
  // Whatever is set around: what ships is the fast and small build.
  const options = { cwd: root, stdio: 'inherit', env: { ...env, NODE_ENV: 'production' } };
  const [status] = await once(spawn(process.execPath, args, options), 'close');
  return status === 0;
}

function programOf(name, path) {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), path);
  } catch {
    process.stderr.write(`${name} is not installed, so Tollbook cannot be built. Run \`npm install\` first.\n`);
    return process.exit(1);
  }
}
