import { TollbookError } from '../errors.ts';

export const NAME_CHARACTERS_MAX = 100;

/** Control characters, line ends, and characters that change the text direction. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Form of a wrapped key's id. */
export const KEY_ID = /^key_[0-9a-z]{22}$/;

/** A wrapped key's name, which commands take in place of its id: it may not look like one. */
export function parseKeyName(text: string): string {
  const name = parseName(text);
  if (!KEY_ID.test(name)) return name;
  throw new TollbookError('invalid', 'The name looks like the id of a wrapped key; choose another.', 'name');
}

/** A name people give: trimmed, not empty, one line, at most `NAME_CHARACTERS_MAX` characters. */
export function parseName(text: string, param = 'name'): string {
  const name = text.trim();
  if (name === '') throw new TollbookError('invalid', `Give it a ${param}.`, param);
  if (name.length > NAME_CHARACTERS_MAX)
    throw new TollbookError('invalid', `The ${param} is longer than ${NAME_CHARACTERS_MAX} characters.`, param);
  if (UNSEEN.test(name) || !name.isWellFormed())
    throw new TollbookError('invalid', `The ${param} has characters that can't be shown.`, param);
  return name;
}
