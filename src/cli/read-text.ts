import { readFileSync } from 'node:fs';
import { TollbookError } from '../domain/errors.ts';

/** A file that somebody named. Throws `invalid` with the system's reason when it can't be read. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    throw new TollbookError('invalid', `${path} can't be read (${code}).`);
  }
}
