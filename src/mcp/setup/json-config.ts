import { TollbookError } from '../../domain/errors.ts';

type JsonValue = Record<string, unknown>;

/**
 * Sets fields in the text of a JSON object and keeps the rest as it is. A file that can't be read and written again
 * without losing something (comments, long numbers) is refused with the lines to paste.
 */
export function setInJson(before: string, set: (root: JsonValue) => JsonValue): string {
  const text = before.trim() === '' ? '{}' : before;
  const root = read(text);
  if (root === null) {
    const lines = JSON.stringify(set({}), null, 2);
    throw new TollbookError(
      'conflict',
      `The file is not plain JSON (it may have comments), and rewriting would lose them. Add this by hand:\n\n${lines}\n`,
    );
  }
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
  return JSON.stringify(set(root), null, indent) + (before === '' || before.endsWith('\n') ? '\n' : '');
}

/** An object's field that is an object itself; {} where there is none. */
export function objectIn(root: JsonValue, name: string): JsonValue {
  const value = root[name];
  return isObject(value) ? value : {};
}

function read(text: string): JsonValue | null {
  try {
    const value: unknown = JSON.parse(text);
    // Rewriting must not change the content; a long number or a repeated name would.
    return isObject(value) && JSON.stringify(value) === withoutBlanks(text) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is JsonValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, (_, quoted: string | undefined) => quoted ?? '');
}
