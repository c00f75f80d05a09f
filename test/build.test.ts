import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-build-'));
  for (const path of ['scripts/build.mjs', 'tsconfig.json', 'tsconfig.build.json', 'package.json'])
    cpSync(join(root, path), join(folder, path));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  mkdirSync(join(folder, 'src'));
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs', 'limits.md'), '# Limits\n');
  mkdirSync(join(folder, 'dashboard', 'src'), { recursive: true });
  writeFileSync(join(folder, 'dashboard', 'index.html'), '<script type="module" src="/src/main.ts"></script>\n');
  writeFileSync(join(folder, 'dashboard', 'src', 'main.ts'), `document.title = '${'shown '.repeat(500)}';\n`);
  writeFileSync(join(folder, 'src', 'main.ts'), "import { word } from './word.ts';\nconsole.log(word);\n");
  writeFileSync(join(folder, 'src', 'word.ts'), "export const word: string = 'first';\n");
  writeFileSync(join(folder, 'src', 'word.test.ts'), 'export const tested = true;\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function build(...args: string[]): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/build.mjs', ...args], { cwd: folder });
  return { status, text: `${stdout.toString()}${stderr.toString()}` };
}

function run(): string {
  return spawnSync(process.execPath, ['dist/main.js'], { cwd: folder }).stdout.toString().trim();
}

/** Dates a file after the build, as an edit does, without waiting for the clock. */
function touchLater(path: string): void {
  const later = new Date(Date.now() + 60_000);
  utimesSync(join(folder, path), later, later);
}

test('a build runs and contains no tests', () => {
  expect(build().status).toBe(0);
  expect(run()).toBe('first');
  expect(existsSync(join(folder, 'dist', 'word.test.js'))).toBe(false);
});

test('the dashboard is built with hashed names and precompressed files', () => {
  expect(build().status).toBe(0);
  const files = readdirSync(join(folder, 'dist', 'dashboard', 'assets')).toSorted();
  expect(files).toEqual(
    ['', '.br', '.gz'].map((suffix): unknown => expect.stringMatching(`^index-[\\w-]{8}\\.js${suffix}$`)),
  );
});

test('--if-needed builds if there is no build, and keeps a current one', () => {
  expect(build('--if-needed').status).toBe(0);
  writeFileSync(join(folder, 'dist', 'mark'), '');
  expect(build('--if-needed').status).toBe(0);
  expect(existsSync(join(folder, 'dist', 'mark'))).toBe(true);
});

test.each(['src/word.ts', 'src', 'dashboard/src/main.ts', 'docs/limits.md', 'package.json', 'tsconfig.build.json'])(
  '--if-needed builds again when %s changed',
  (path) => {
    build();
    writeFileSync(join(folder, 'src', 'word.ts'), "export const word: string = 'second';\n");
    touchLater(path);
    expect(build('--if-needed').status).toBe(0);
    expect(run()).toBe('second');
  },
);

test('the output of a deleted source is deleted', () => {
  build();
  writeFileSync(join(folder, 'src', 'main.ts'), "console.log('alone');\n");
  rmSync(join(folder, 'src', 'word.ts'));
  touchLater('src');
  expect(build('--if-needed').status).toBe(0);
  expect(existsSync(join(folder, 'dist', 'word.js'))).toBe(false);
});

test("a source that doesn't compile fails the build and keeps the previous one", () => {
  build();
  writeFileSync(join(folder, 'src', 'word.ts'), 'export const word = ;\n');
  touchLater('src/word.ts');
  const { status, text } = build('--if-needed');
  expect(status).toBe(1);
  expect(text).toContain('word.ts');
  expect(run()).toBe('first');
  expect(readFileSync(join(folder, 'dist', 'word.js'), 'utf8')).toContain('first');
});
