import { TollbookError } from './errors.ts';

export const NAME_CHARACTERS_MAX = 100;

/** A name people give: trimmed, not empty, one line, at most `NAME_CHARACTERS_MAX` characters. */
export function parseName(text: string, param = 'name'): string {
  const name = text.trim();
  if (name === '') throw new TollbookError('invalid', `Give it a ${param}.`, param);
  if (name.length > NAME_CHARACTERS_MAX)
    throw new TollbookError('invalid', `The ${param} is longer than ${NAME_CHARACTERS_MAX} characters.`, param);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) || !name.isWellFormed())
    throw new TollbookError('invalid', `The ${param} has characters that can't be shown.`, param);
  return name;
}
