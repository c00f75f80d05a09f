import { TollbookError } from '../domain/errors.ts';

/** Throws `invalid` if no engine serves an address. */
export function requirePostgres(address: string): void {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase() ?? 'unknown';
  if (scheme === 'postgres' || scheme === 'postgresql') return;
  // The address itself may hold a password.
  throw new TollbookError(
    'invalid',
    `SVC_DATABASE_URL is an address of the kind "${scheme}". Write postgres://user:password@host:5432/name for PostgreSQL. ` +
      'Without SVC_DATABASE_URL the ledger is a SQLite file in the data folder (SVC_DATA_DIR).',
    'SVC_DATABASE_URL',
  );
}
