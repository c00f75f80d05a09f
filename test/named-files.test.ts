import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** Pages that explain the code to its readers. The manual in `docs/` names no source file. */
const pages = globSync(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'decisions/*.md', '{src,bench,test}/**/README.md']);
const sources = globSync('{src,test,bench,scripts,dashboard,bin,deploy,docs}/**/*', {
  exclude: (path) => path.includes('node_modules'),
});
/** Names of files, folders and fields of other programs. */
const FOREIGN = [
  'archived_sessions/',
  'cleanupPeriodDays',
  'costUSD',
  'dist/',
  'final_results.json',
  'sessions/YYYY/MM/DD/',
  'v8.getHeapSpaceStatistics',
];

interface Mention {
  readonly page: string;
  readonly text: string;
}

/** Words in backticks on every page, without those in code blocks. */
function mentions(): Mention[] {
  return pages.flatMap((page) => {
    const sentences = readFileSync(page, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
    const quoted = [...sentences.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => ({ page, text }));
    return quoted.filter(({ text }) => !FOREIGN.includes(text));
  });
}

const isFile = (text: string): boolean => /^\w[\w./-]*\.(ts|tsx|mjs|md|json|yaml)$/.test(text);
const isFolder = (text: string): boolean => /^[\w-][\w./-]*\/$/.test(text);

/** Returns whether the tree has a file or folder whose path ends so. */
function exists({ page, text }: Mention): boolean {
  if ([text, join(dirname(page), text)].some((path) => existsSync(path))) return true;
  return sources.some((path) => path.endsWith(`/${text.replace(/\/$/, '')}`));
}

test('every file and folder that a page names exists', () => {
  const named = mentions().filter(({ text }) => isFile(text) || isFolder(text));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((each) => !exists(each)).map(({ page, text }) => `${page}: ${text}`)).toEqual([]);
});

test('every identifier that a page names is in the source', () => {
  const code = globSync([
    '{src,test,bench,scripts}/**/*.{ts,mjs,sql}',
    'dashboard/{src,test}/**/*.{ts,tsx,css}',
    '*.{ts,json}',
    '.*.{mjs,json}',
    'bin/*.mjs',
  ])
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  const words = new Set(code.match(/[\w$]+/g));
  const declared = new Set([...code.matchAll(/\b(?:class|interface|type|const) (\w+)/g)].map(([, name]) => name));
  const named = mentions().filter(({ text }) => /^[A-Za-z]\w*(\.[A-Za-z]\w*)*$/.test(text) && /[a-z][A-Z]/.test(text));
  expect(named.length).toBeGreaterThan(50);
  const missing = named.filter(({ text }) => {
    const [owner = '', ...members] = text.split('.');
    const isType = members.length > 0 && /^[A-Z]/.test(owner);
    return (isType && !declared.has(owner)) || [owner, ...members].some((word) => !words.has(word));
  });
  expect(missing.map(({ page, text }) => `${page}: ${text}`)).toEqual([]);
});
