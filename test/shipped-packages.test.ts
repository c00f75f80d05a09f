import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { shippedPackages } from '../scripts/shipped-packages.ts';

/** They ask for a copy of their text at most, and nothing of who uses them. */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'Unlicense'];
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];

const shipped = shippedPackages('.');

interface Installed {
  readonly license?: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** Those of other platforms are not installed here. */
const installed = [...shipped.keys()].flatMap((path): [string, Installed][] =>
  existsSync(join(path, 'package.json'))
    ? [[path, JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Installed]]
    : [],
);

test('the package ships every dependency and no development tool', () => {
  const names = [...shipped.keys()].map((path) => path.replace(/^.*node_modules\//, ''));
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
  expect(names).toEqual(expect.arrayContaining([...Object.keys(dependencies), 'react', '@mantine/core']));
  // A build tool under MPL-2.0: the lock does not mark it `dev`, because vitest is an optional peer of better-auth.
  expect(names.filter((name) => /^(vite|vitest|lightningcss.*|rolldown|typescript|@types\/.*)$/.test(name))).toEqual(
    [],
  );
  expect(installed.length).toBeGreaterThan(60);
});

test('no shipped package runs an install script', () => {
  const locked = [...shipped].filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
  const scripted = installed
    .filter(([, { scripts }]) => INSTALL_SCRIPTS.some((name) => scripts?.[name]))
    .map(([path]) => path);
  expect([...locked, ...scripted].map((path) => `${path} has an install script: choose another package`)).toEqual([]);
});

test('every shipped package has a permissive license', () => {
  const locked = [...shipped].filter(([path, { license }]) => license !== undefined || existsSync(path));
  const findings = [...locked, ...installed].filter(([, { license = '' }]) => !isPermissive(license));
  expect(findings.map(([path, { license }]) => `${path} is under ${license ?? 'no license'}: choose another`)).toEqual(
    [],
  );
});

test.each([
  ['MIT', true],
  ['(MIT OR CC0-1.0)', true],
  ['(Apache-2.0 AND BSD-3-Clause)', true],
  ['MPL-2.0', false],
  ['MIT AND GPL-3.0-only', false],
  ['(MIT OR GPL-2.0) AND GPL-3.0-only', false],
  ['', false],
])('the license "%s" is permissive: %s', (license, is) => expect(isPermissive(license)).toBe(is));

/** Of several licenses to choose from, one is enough; of several that all apply, none may forbid. */
function isPermissive(license: string): boolean {
  const choices = license.replace(/^\(([^()]*)\)$/, '$1').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((one) => PERMISSIVE.includes(one)));
}

test('npm run sbom lists the contents of the package, its commit and its lock file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tarball = join(folder, 'tollbook-9.9.9.tgz');
  writeFileSync(tarball, 'a tarball');
  const made = spawnSync(execPath, ['scripts/sbom.mjs', '--tarball', tarball, '--commit', COMMIT]);
  expect({ status: made.status, stderr: made.stderr.toString().replace(/^npm warn.*\n/gm, '') }).toEqual({
    status: 0,
    stderr: '',
  });
  const read = (end: string): Record<string, unknown> =>
    JSON.parse(readFileSync(join(folder, `tollbook-9.9.9.${end}`), 'utf8')) as Record<string, unknown>;
  const { bomFormat, components } = read('cdx.json') as {
    bomFormat: string;
    components: { 'bom-ref': string; licenses: unknown[] }[];
  };
  expect(bomFormat).toBe('CycloneDX');
  const refs = installed.map(([path]) => `${path.replace(/^.*node_modules\//, '')}@${shipped.get(path)?.version}`);
  expect(components.map((component) => component['bom-ref']).toSorted()).toEqual([...new Set(refs)].toSorted());
  expect(components.filter(({ licenses }) => licenses.length === 0)).toEqual([]);
  const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');
  expect(read('intoto.json')).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://slsa.dev/provenance/v1',
    subject: [{ name: 'tollbook-9.9.9.tgz', digest: { sha256: sha256('a tarball') } }],
    predicate: {
      buildDefinition: {
        resolvedDependencies: [
          { digest: { gitCommit: COMMIT } },
          { name: 'package-lock.json', digest: { sha256: sha256(readFileSync('package-lock.json')) } },
        ],
      },
    },
  });
});
