import { readFileSync } from 'node:fs';
import { TollbookError } from '../domain/errors.ts';

/** Reads a file that the user named. Throws `invalid` with the system's reason if it can't be read. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    throw new TollbookError('invalid', `${path} can't be read (${code}).`);
  }
}
