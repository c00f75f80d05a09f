/**
 * Completes package-lock.json after `npm install` from a registry that lacks packages of other platforms: npm then leaves
 * them out, and `npm ci` refuses the lock. Their versions are in the packages that name them, their platforms in their
 * names; their checksums are not known, and are filled in by an `npm install` that finds them.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('../package-lock.json', import.meta.url);
const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64'];

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const { '': root, ...packages } = lock.packages;
for (const { optionalDependencies = {}, dev } of Object.values(packages))
  for (const [name, version] of Object.entries(optionalDependencies))
    packages[`node_modules/${name}`] ??= entryOf(name, version, dev);
lock.packages = { '': root, ...sorted(packages) };
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);

/** Its fields are in npm's own order, so that npm leaves it as it is. */
function entryOf(name, version, dev) {
  const words = name.split(/[-/]/);
  const os = SYSTEMS.find((word) => words.includes(word));
  const cpu = PROCESSORS.find((word) => words.includes(word));
  if (!os || !cpu) throw new Error(`${name} does not say its platform: add it to package-lock.json by hand`);
  const libc = words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc';
  return { version, cpu: [cpu], dev, ...(os === 'linux' && { libc: [libc] }), optional: true, os: [os] };
}

function sorted(entries) {
  return Object.fromEntries(Object.entries(entries).toSorted(([a], [b]) => a.localeCompare(b, 'en')));
}
