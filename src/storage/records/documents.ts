import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../lib/fs/files.ts';
import type { RecordDb } from './tables.ts';

/**
 * Documents by the name of their file: the operator's own providers, the fetched prices in use, and fetched prices that wait
 * to be applied.
 */
type DocumentName = 'providers.json' | 'prices.json' | 'price-update.json';

/**
 * Texts that are stored whole: private files in the data folder, which people can edit, or rows of a database that several
 * processes use.
 */
export interface DocumentRecords {
  /** Name for people. */
  place(name: DocumentName): string;
  /** Returns null if it was never written. */
  read(name: DocumentName, db?: RecordDb): Promise<string | null>;
  /** Writes the document; with `tx`, a row of the database becomes part of that transaction. */
  write(name: DocumentName, text: string, tx?: RecordDb): Promise<void>;
}

/** Returns documents in files of a folder. */
export function documentFiles(folder: string): DocumentRecords {
  return {
    place: (name) => join(folder, name),
    read: async (name) => readIfThere(join(folder, name)),
    write: async (name, text) => replaceFile(join(folder, name), text),
  };
}

/** Returns documents in the database, as settings that have no other name of this form. */
export function documentRows(db: RecordDb): DocumentRecords {
  const settingName = (name: DocumentName): string => `document.${name}`;
  return {
    place: (name) => `${name} in the database`,
    async read(name, reader = db) {
      const found = reader.selectFrom('settings').select('value').where('name', '=', settingName(name));
      return (await found.executeTakeFirst())?.value ?? null;
    },
    async write(name, value, tx = db) {
      await tx
        .insertInto('settings')
        .values({ name: settingName(name), value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
  };
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
