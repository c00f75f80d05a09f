import { readFileSync, statSync } from 'node:fs';
import { asMembers, asObject, type JsonObject } from '../../lib/json/values.ts';
import type { SessionFile } from './source.ts';

/** Larger documents are not sessions, or do not fit into one text. */
export const DOCUMENT_BYTES_MAX = 128 * 1024 * 1024;

/** Reads a file that is one JSON object or list; null = it is neither. Throws file system errors, and for a file that is too large. */
export function readJsonDocument({ path, size }: SessionFile): JsonObject | readonly unknown[] | null {
  if (size > DOCUMENT_BYTES_MAX) throw new Error(`it is larger than ${DOCUMENT_BYTES_MAX / 1024 / 1024} MiB`);
  const text = readFileSync(path, 'utf8');
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : asObject(value);
  } catch {
    return null;
  }
}

/** Parses a JSON object; null = the text is something else. */
export function parseJsonObject(text: string): JsonObject | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Reads a JSON object that belongs to a file; without it, or if it is damaged, an empty one. */
export function readRelatedDocument(file: SessionFile, path: string): JsonObject {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  return size === undefined ? {} : asMembers(readJsonDocument({ ...file, path, size }));
}
