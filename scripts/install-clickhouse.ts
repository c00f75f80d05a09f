/**
 * Installs ClickHouse's engine for the tests, as a library (`chdb`): half a gigabyte, so it is no dependency. It goes into
 * the user's cache folder, which `npm ci` leaves alone. Does nothing if it is there.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { argv, env, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';

const VERSION = '3.4.0';
const cache = env['XDG_CACHE_HOME'] || join(homedir(), '.cache');

/** Folder of the installed package. */
export const CHDB_FOLDER = join(cache, 'tollbook', `chdb-${VERSION}`);

if (argv[1] === fileURLToPath(import.meta.url)) install();

function install(): void {
  if (existsSync(CHDB_FOLDER)) return;
  const draft = `${CHDB_FOLDER}-draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, 'package.json'), '{ "private": true }\n');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['install', ...options, `chdb@${VERSION}`], { cwd: draft, stdio: 'inherit' });
  if (status !== 0) throw new Error(`chdb ${VERSION} could not be installed.`);
  renameSync(draft, CHDB_FOLDER);
  stdout.write(`Installed ClickHouse's engine in ${CHDB_FOLDER}\n`);
}
