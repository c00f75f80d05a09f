import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package as `package-lock.json` has it. */
export interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Styles are imported too: `import '@mantine/core/styles.css'`. */
const IMPORTED = /^\s*(?:import|export)\b[^'"]*?['"]((?:@[^/'"]+\/)?[^./'"][^/'"]*)[^'"]*['"]/gm;

/**
 * Returns every package that reaches users, by its path in `package-lock.json`: the dependencies of the package with
 * theirs, and what the dashboard imports with theirs, which is built into `dist`. The lock's own mark `dev` says less:
 * optional peers of a dependency have it only in part, though nobody's installation gets them.
 */
export function shippedPackages(root: string): ReadonlyMap<string, LockedPackage> {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = new Map<string, LockedPackage>();
  const add = (name: string, from: string): void => {
    const path = placeOf(name, from, lock.packages);
    const entry = path === null ? undefined : lock.packages[path];
    if (path === null || !entry || found.has(path)) return;
    found.set(path, entry);
    for (const each of neededBy(entry)) add(each, path);
  };
  const own = lock.packages[''];
  for (const name of [...(own ? neededBy(own) : []), ...importedByDashboard(root)]) add(name, '');
  return found;
}

/** Installed with it: not the peers that it works without. */
function neededBy({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }: LockedPackage) {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {}), ...peers];
}

/** As Node finds it: in the nearest `node_modules` above. */
function placeOf(name: string, from: string, packages: Readonly<Record<string, LockedPackage>>): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return null;
  }
}

function importedByDashboard(root: string): ReadonlySet<string> {
  const sources = globSync('dashboard/src/**/*.{ts,tsx}', { cwd: root }).filter((path) => !/\.test\.tsx?$/.test(path));
  const texts = sources.map((path) => readFileSync(join(root, path), 'utf8'));
  return new Set(texts.flatMap((text) => [...text.matchAll(IMPORTED)].map(([, name = '']) => name)));
}
