import type { Random } from '../seeded.ts';
import { pick, whole } from './chance.ts';

const CORPUS_CHARACTERS = 400_000;
const WORDS = [
  'const',
  'return',
  'await',
  'function',
  'usage',
  '"usage":{"input_tokens":',
  '"type":"assistant"',
  'input_tokens',
  'total',
  'session',
  'import',
  'from',
  "'./thing.ts'",
  '"model"',
  '=>',
  '{',
  '}',
  '()',
  '[',
  ']',
  ';',
  '//',
  'why',
  'größer',
  'naïve',
  '日本語',
  '🙂',
  '\\n',
  '\\',
  '"',
  '\t',
  'if (x === null)',
  '&&',
  '0.25',
  '1024',
  'the',
  'quick',
  'answer',
  'is',
  'not',
  'here',
  'https://example.com/a?b=c',
] as const;

/** Text like that of sessions: code, quotes, escapes, other scripts, and the names of the fields that readers look for. */
export class Prose {
  readonly #random: Random;
  readonly #corpus: string;

  constructor(random: Random) {
    this.#random = random;
    let corpus = '';
    while (corpus.length < CORPUS_CHARACTERS) corpus += pick(random, WORDS) + (random() < 0.12 ? '\n' : ' ');
    this.#corpus = corpus;
  }

  text(characters: number): string {
    let text = '';
    while (text.length < characters) {
      const start = whole(this.#random, 0, CORPUS_CHARACTERS - 1);
      text += this.#corpus.slice(start, start + characters - text.length);
    }
    return text.toWellFormed();
  }
}
