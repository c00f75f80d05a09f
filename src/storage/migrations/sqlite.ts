import { entries001 } from './001-entries-sqlite.ts';
import { observed001 } from './001-observed-sqlite.ts';
import { records001 } from './001-records.ts';
import { usage001 } from './001-usage-sqlite.ts';
import type { MigrationSteps } from './migrate.ts';

/**
 * All steps in order. A released migration is never edited: each change of the schema is a new file and a new line
 * here.
 */
export const SQLITE_MIGRATIONS: MigrationSteps = {
  '001-first': [...records001, ...entries001, ...usage001, ...observed001],
};
