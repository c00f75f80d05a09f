import { OPEN_ARRAY, OPEN_OBJECT } from './bytes.ts';
import { ScanError } from './scan-names.ts';
import type { ScanNode } from './scan-plan.ts';

const LETTER_F = 0x66;
const LETTER_N = 0x6e;

/** @param byte the first of the member's value */
export function requireForm({ form, path }: ScanNode, byte: number): void {
  if (form === 'object' && byte === OPEN_ARRAY) throw new ScanError(`needs an object in "${path}", not a list`, path);
  if (form !== 'objects' || byte === OPEN_ARRAY || byte === OPEN_OBJECT) return;
  // Null and false say that there is none.
  if (byte !== LETTER_N && byte !== LETTER_F) throw new ScanError(`needs a list of objects in "${path}"`, path);
}

/** @param byte the first of an element of the list */
export function requireElement({ form, path }: ScanNode, byte: number): void {
  if (form === 'anything') return;
  if (form === 'objects and texts' ? byte === OPEN_ARRAY : byte !== OPEN_OBJECT)
    throw new ScanError(`needs a list of objects in "${path}"`, path);
}
