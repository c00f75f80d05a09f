import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { LIMITS } from '../src/config.ts';
import { countWording, type WordingCounts } from './plain-words.ts';

/**
 * Style as a test. Every finding names file, line and cure. What a linter knows (types, cycles, sizes of functions) is
 * its business; the last tests here only make sure that nobody turned it down.
 */
const SELF = 'test/tidy.test.ts';
const FILE_LINES_MAX = 800;
const DECISION_LINES_MAX = 60;

interface Rule {
  readonly banned: RegExp;
  readonly cure: string;
  readonly where?: RegExp;
}

const CODE = /\.(tsx?|mjs)$/;
const TEST = /\.test\.tsx?$|^test\//;
const rules: readonly Rule[] = [
  { banned: /\b(TODO|FIXME|XXX|HACK)\b/, cure: 'do it now, or write a decision' },
  { banned: /\bas any\b|[:<,]\s*any\b(?=[\s>,;)=[\]|])/, cure: 'name the type, or use unknown', where: CODE },
  { banned: /@ts-(ignore|expect-error|nocheck)/, cure: 'fix the type', where: CODE },
  { banned: /\b(oxlint|eslint|oxfmt|prettier)-(disable|ignore)/, cure: 'fix the finding', where: CODE },
  {
    banned: /\b(test|it|describe)\.(skip|skipIf|only|todo|fails)\b/,
    cure: 'every test runs everywhere',
    where: TEST,
  },
  {
    banned: /setTimeout\b.*timers\/promises|=> setTimeout\(|\bsleep\(/,
    cure: 'a test does not sleep: pass the time in, or wait for an event',
    where: /\.test\.tsx?$/,
  },
  { banned: /^export \* from|^export \{[^}]*\} from/, cure: 'import from the file that defines it', where: CODE },
  { banned: /^(export )?(const )?enum |^(export )?namespace /, cure: 'a union of strings', where: /\.tsx?$/ },
  { banned: /(^|[\s'"`(=])\/(work|root|Users\/\w+|home\/\w+)\//, cure: 'no path of one machine' },
  {
    banned: /\.\.\/shared\b|provider-sim/,
    cure: 'the project speaks of itself alone',
    // The dashboard has a folder of that name.
    where: /^(?!dashboard\/src\/)/,
  },
  {
    banned:
      /\b(written|generated|authored|made)[- ](by|with):? (an? )?(AI|LLM|assistant|claude|copilot|chatgpt|codex)\b/i,
    cure: 'the project speaks of itself alone',
  },
  {
    banned: /\bDate\.now\b|\bnew Date\(\)|\bsystemClock\b/,
    cure: 'time is an argument: take a clock; commands have one in their context',
    // Programs begin in these, beside the definition itself.
    where: /^src\/(?!lib\/clock\.ts|main\.ts|ledger\/thread\.ts|gateway\/worker-process\.ts|.*\.test\.ts$)/,
  },
  {
    banned: /(?<!npx )\bnode (src|scripts|bench|test|dashboard)\//,
    cure: "npx node: the system's Node may be too old for it",
    where: /\.md$|^scripts\//,
  },
  { banned: /\bissue #?\d+\b/i, cure: 'say what it is about; a number leads nowhere' },
];

const files = [
  ...globSync('{src,test,bench,scripts,bin,decisions,deploy,.ci}/**/*'),
  ...globSync('dashboard/{*,src/**/*,test/**/*}'),
  ...globSync('*.{md,json,ts,yaml}'),
  ...globSync('.{dependency-cruiser.mjs,oxlintrc.json,oxfmtrc.json,dockerignore,npmrc}'),
  'Dockerfile',
]
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.(tsx?|css|html|mjs|json|md|yaml|service|npmrc|dockerignore)$|Dockerfile$|\.ci\/run$/.test(path))
  .filter((path) => path !== SELF && path !== 'package-lock.json');

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n');
}

test('no file contains a banned word', () => {
  const findings = files.flatMap((path) =>
    linesOf(path).flatMap((line, index) =>
      rules
        .filter(({ banned, where }) => (where?.test(path) ?? true) && banned.test(line))
        .map(({ banned, cure }) => `${path}:${index + 1} "${banned.exec(line)?.[0].trim()}": ${cure}`),
    ),
  );
  expect(findings).toEqual([]);
});

test('every rule finds what it bans', () => {
  const samples = [
    '// TODO later',
    'const a = b as any;',
    '// @ts-ignore',
    '// oxlint-disable-next-line',
    'test.skip("x", f);',
    'await new Promise((done) => setTimeout(done, 5));',
    "export * from './x.ts';",
    'export enum A {}',
    'see /work/main/src',
    'from ../shared/spec.md',
    'Generated with Claude',
    'const now = Date.now();',
    'run node scripts/x.mjs',
    'as issue 2 asks',
  ];
  expect(rules.map(({ banned }, index) => banned.test(samples[index] ?? ''))).toEqual(rules.map(() => true));
});

test('files of code have one subject and a name that says it', () => {
  const code = files.filter((path) => CODE.test(path));
  const findings = [
    ...code
      .filter(
        (path) => !TEST.test(path) && !/^src\/.+\/contract\//.test(path) && linesOf(path).length - 1 > FILE_LINES_MAX,
      )
      .map((path) => `${path} has more than ${FILE_LINES_MAX} lines: find the second idea in it`),
    ...code
      .filter((path) => /(^|-)(utils?|helpers?)\b|^(common|misc|shared|index)\./.test(basename(path)))
      .map((path) => `${path}: name the idea, not the drawer`),
    ...code
      .filter((path) => /[A-Z_]/.test(basename(path)))
      .map((path) => `${path}: file names are lower-case words joined by hyphens`),
  ];
  expect(findings).toEqual([]);
});

/** Lower a number when the count falls; never raise one. */
const WORDING_MAX: WordingCounts = {
  danglingOpenings: 0,
  archaicIdioms: 4,
  bareTypeNames: 56,
  functionsEndingInOf: 12,
  functionNamesInSeveralFiles: 252,
};

test('complicated wording only gets rarer', () => {
  const sources = files.filter((path) => /^(src|dashboard\/src)\/.*\.tsx?$/.test(path) && !TEST.test(path));
  const counts = countWording(sources.map((path) => [path, readFileSync(path, 'utf8')]));
  const grown = Object.entries(counts).filter(([kind, count]) => count > WORDING_MAX[kind as keyof WordingCounts]);
  expect(grown).toEqual([]);
});

test('decisions are numbered without gaps, short, and titled by their number', () => {
  const decisions = files.filter((path) => path.startsWith('decisions/')).toSorted();
  const findings = decisions.flatMap((path, index) => {
    const number = String(index + 1).padStart(3, '0');
    const lines = linesOf(path);
    return [
      ...(new RegExp(`^decisions/${number}-[a-z0-9-]+\\.md$`).test(path) ? [] : [`${path}: expected number ${number}`]),
      ...(lines[0]?.startsWith(`# ${number} `) ? [] : [`${path}:1 the title begins with "# ${number} "`]),
      ...(lines.length > DECISION_LINES_MAX ? [`${path}: half a page, at most ${DECISION_LINES_MAX} lines`] : []),
      ...(/\d/.test(lines.slice(1).join('')) ? [] : [`${path}: a decision has a number that was measured`]),
    ];
  });
  expect(decisions.length).toBeGreaterThan(0);
  expect(findings).toEqual([]);
});

test('the lock file names no registry, and every dependency is pinned', () => {
  const lock = linesOf('package-lock.json');
  const findings = lock.flatMap((line, index) =>
    /"resolved": "https?:/.test(line) ? [`package-lock.json:${index + 1} names a registry: npm install again`] : [],
  );
  const { dependencies, devDependencies, optionalDependencies } = manifest();
  const loose = Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies })
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    .map(([name, version]) => `package.json: pin ${name} (${version}) to one exact version`);
  expect([...findings, ...loose]).toEqual([]);
});

test('npm ci accepts the lock file: it has the packages of every platform', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const named = Object.values(packages).flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}));
  const missing = named.filter((name) => !packages[`node_modules/${name}`]);
  expect(missing.map((name) => `package-lock.json lacks ${name}: npx node scripts/complete-lock.mjs`)).toEqual([]);
});

test("the linter's limits stay on", () => {
  const withoutComments = linesOf('.oxlintrc.json').filter((line) => !line.trim().startsWith('//'));
  const config = JSON.parse(withoutComments.join('\n')) as { rules: Record<string, unknown> };
  expect(config.rules).toMatchObject({
    'max-lines': ['error', FILE_LINES_MAX],
    'max-lines-per-function': ['error', 70],
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
  });
  expect(
    Object.keys(JSON.parse(readFileSync('knip.json', 'utf8')) as object).filter((key) => /ignore/.test(key)),
  ).toEqual([]);
});

test('ARCHITECTURE.md gives a reason for every dependency and for no other package', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest();
  const table = section('ARCHITECTURE.md', 'dependencies').flatMap((line) => /^\| `([^`]+)`/.exec(line)?.[1] ?? []);
  const listed = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
  expect(table.toSorted()).toEqual(listed.toSorted());
});

test.each(['limits-table.mjs', 'names-table.mjs', 'providers-table.mjs'])(
  'the table that %s writes is the one in the code',
  (script) => {
    const { status, stderr } = spawnSync(process.execPath, [`scripts/${script}`, '--check']);
    expect({ status, text: stderr.toString() }).toEqual({ status: 0, text: '' });
  },
);

test('git ignores no file of the sources, tests and fixtures', () => {
  const folders = ['src', 'test', 'bench', 'docs', 'decisions', 'scripts', 'dashboard/src', 'deploy'];
  const listing = ['ls-files', '--others', '--ignored', '--exclude-standard', '--', ...folders];
  const ignored = spawnSync('git', listing, { encoding: 'utf8' }).stdout.split('\n');
  expect(ignored.filter((path) => path !== '' && path !== 'deploy/nodes.env')).toEqual([]);
});

test('every limit is used somewhere', () => {
  const code = files.filter((path) => path.startsWith('src/') && path !== 'src/config.ts' && !TEST.test(path));
  const text = code.map((path) => readFileSync(path, 'utf8')).join('\n');
  const idle = Object.keys(LIMITS).filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
  expect(idle.map((name) => `src/config.ts: nothing reads LIMITS.${name}; delete it or obey it`)).toEqual([]);
});

/** The lines between `<!-- name -->` and `<!-- /name -->`. */
function section(path: string, name: string): string[] {
  const lines = linesOf(path);
  const start = lines.indexOf(`<!-- ${name} -->`);
  const end = lines.indexOf(`<!-- /${name} -->`);
  expect({ path, name, found: start >= 0 && end > start }).toEqual({ path, name, found: true });
  return lines.slice(start + 1, end);
}

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
}

/** What the package and its dashboard depend on. */
function manifest(): Manifest {
  const [own, dashboard] = ['package.json', 'dashboard/package.json'].map(
    (path) => JSON.parse(readFileSync(path, 'utf8')) as Manifest,
  );
  if (!own || !dashboard) throw new Error('There is no package.json.');
  return { ...own, devDependencies: { ...own.devDependencies, ...dashboard.devDependencies } };
}
