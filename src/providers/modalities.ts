import type { DemandTally } from './demand-tally.ts';

/**
 * What the answer is made of, by the words of the request. Each word adds a kind of output; a word that is not known may
 * stand for a kind that no price names.
 * @param words in lower case; null = not said
 * @param field for people
 */
export function readModalities(words: readonly string[] | null, tally: DemandTally, field: string): void {
  if (words === null || words.length === 0) return tally.mayDrawOrSpeak();
  for (const word of words) readModality(word, tally, field);
}

function readModality(word: string, tally: DemandTally, field: string): void {
  if (word === 'text') return;
  if (word === 'image') tally.pictures();
  else if (word === 'audio') tally.speech();
  else if (word === 'modality_unspecified') tally.mayDrawOrSpeak();
  else tally.unknownOutput(`${field} with "${word.slice(0, SHOWN_WORD_CHARS_MAX)}"`);
}

const SHOWN_WORD_CHARS_MAX = 32;
