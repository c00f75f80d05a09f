import type { MigrationSteps } from './migrate.ts';
import { ledgerPostgres001 } from './001-ledger-postgres.ts';
import { leases001 } from './001-leases-postgres.ts';
import { observed001 } from './001-observed-postgres.ts';
import { records001 } from './001-records.ts';
import { changes001 } from './001-changes-postgres.ts';
import { shared001 } from './001-shared-postgres.ts';

/**
 * All steps in order. A released migration is never edited: each change of the schema is a new file and a new line
 * here.
 */
export const POSTGRES_MIGRATIONS: MigrationSteps = {
  '001-first': [...records001, ...shared001, ...changes001, ...ledgerPostgres001, ...leases001, ...observed001],
};
