/**
 * Packs the package into `release/` and describes it there: what is in it (CycloneDX, `….cdx.json`) and what it was made
 * from (an in-toto statement with SLSA provenance, `….intoto.json`). `--tarball FILE` describes a packed one, in its
 * folder; `--commit ID` says what it was made from where there is no git checkout. It signs nothing: `npm publish --provenance` does, where a CI runs it.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { shippedPackages } from './shipped-packages.ts';

const BUILD_TYPE = 'https://docs.npmjs.com/cli/commands/npm-pack';
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { tarball: { type: 'string' }, commit: { type: 'string' } } });
const tarball = values.tarball ? resolve(values.tarball) : pack(join(root, 'release'));
const stem = join(dirname(tarball), basename(tarball, '.tgz'));

write(`${stem}.cdx.json`, describeContents());
write(`${stem}.intoto.json`, describeOrigin());

function pack(folder) {
  mkdirSync(folder, { recursive: true });
  const [{ filename }] = JSON.parse(
    npm('pack', '--json', '--silent', '--foreground-scripts=false', '--pack-destination', folder),
  );
  return join(folder, filename);
}

/** npm's own document, with what it ships alone. */
function describeContents() {
  const document = JSON.parse(npm('sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'));
  const shipped = new Set(
    [...shippedPackages(root)].map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`),
  );
  const own = document.metadata.component['bom-ref'];
  const isIn = (ref) => ref === own || shipped.has(ref);
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  document.metadata.component.name = name;
  return {
    ...document,
    components: document.components.filter((component) => isIn(component['bom-ref'])).map(withoutMark),
    dependencies: document.dependencies
      .filter(({ ref }) => isIn(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isIn) })),
  };
}

/** What the dashboard is built from is no development alone: it is in the tarball. */
function withoutMark(component) {
  return { ...component, properties: component.properties.filter(({ name }) => !name.endsWith(':development')) };
}

function describeOrigin() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: basename(tarball), digest: digestOf(readFileSync(tarball)) }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: {},
        internalParameters: {
          node: process.version,
          ...(!values.commit && { uncommittedChanges: git('status', '--porcelain') !== '' }),
        },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: values.commit ?? git('rev-parse', 'HEAD') } },
          { name: 'package-lock.json', digest: digestOf(lock) },
        ],
      },
      runDetails: {
        builder: { id: 'urn:tollbook:scripts/sbom.mjs' },
        metadata: { finishedOn: new Date().toISOString() },
      },
    },
  };
}

function git(...args) {
  try {
    return execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    throw new Error('Provenance names a commit: run this in a git checkout, or give --commit.');
  }
}

function npm(...args) {
  const stdio = ['ignore', 'pipe', 'inherit'];
  const shell = process.platform === 'win32';
  return execFileSync('npm', args, { cwd: root, stdio, shell, maxBuffer: OUTPUT_BYTES_MAX }).toString();
}

function digestOf(bytes) {
  return Object.fromEntries(['sha256', 'sha512'].map((name) => [name, createHash(name).update(bytes).digest('hex')]));
}

function write(path, document) {
  writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`);
  stdout.write(`${path}\n`);
}
