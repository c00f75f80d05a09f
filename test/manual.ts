import { globSync, readFileSync } from 'node:fs';

const README = readFileSync('README.md', 'utf8');

/** The README and the pages of docs/, in the order of the README's list. */
export const MANUAL_PAGES: readonly string[] = [
  'README.md',
  ...globSync('docs/*.md').toSorted((a, b) => README.lastIndexOf(`(${a})`) - README.lastIndexOf(`(${b})`)),
];

/** All pages of the manual as one text. */
export const MANUAL = MANUAL_PAGES.map((path) => readFileSync(path, 'utf8')).join('\n');

/** Returns the contents of the fenced blocks in one language, with continued lines joined. */
export function readBlocks(page: string, language: string): string[] {
  const found = page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'));
  return [...found].map(([, text]) => (text ?? '').replaceAll('\\\n', ' '));
}

/** Returns the only block of a page in that language that contains these words. */
export function findBlock(path: string, language: string, words: string): string {
  const found = readBlocks(readFileSync(path, 'utf8'), language).filter((block) => block.includes(words));
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${path}: ${found.length} blocks with ${words}`);
  return found[0];
}

/** Returns the arguments of each line that begins with `npx tollbook`. */
export function tollbookLines(block: string): string[] {
  return block.split('\n').flatMap((line) => /^npx tollbook (.*)$/.exec(line)?.[1] ?? []);
}
