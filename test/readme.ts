import { readFileSync } from 'node:fs';

export const README = readFileSync('README.md', 'utf8');

/** Contents of the fenced blocks in one language, a command per line. */
export function blocks(page: string, language: string): string[] {
  const found = page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'));
  return [...found].map(([, text]) => (text ?? '').replaceAll('\\\n', ' '));
}

/** The one block of the README in that language that has these words. */
export function blockWith(language: string, words: string): string {
  const found = blocks(README, language).filter((block) => block.includes(words));
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} blocks with ${words}`);
  return found[0];
}

/** What stands behind `npx tollbook`, line by line. */
export function tollbookLines(block: string): string[] {
  return block.split('\n').flatMap((line) => /^npx tollbook (.*)$/.exec(line)?.[1] ?? []);
}
