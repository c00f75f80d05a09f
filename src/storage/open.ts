import { TollbookError } from '../domain/errors.ts';
import type { StorageEngine, EngineOptions } from './engine.ts';
import { openSqliteEngine } from './sqlite/sqlite-engine.ts';

type OpenEngine = (options: EngineOptions) => Promise<StorageEngine>;

/** Engines by the scheme of the address; '' = no address. */
const ENGINES: ReadonlyMap<string, OpenEngine> = new Map([['', openSqliteEngine]]);

/** Opens the engine for the address. Throws `invalid` if no engine serves it. */
export async function openEngine(options: EngineOptions): Promise<StorageEngine> {
  const scheme = readScheme(options.databaseUrl);
  const open = ENGINES.get(scheme);
  if (open) return await open(options);
  // The address itself may hold a password.
  throw new TollbookError(
    'invalid',
    `No storage engine serves addresses of the kind "${scheme}"; this release stores the ledger in a SQLite file in the data folder (SVC_DATA_DIR). Leave SVC_DATABASE_URL unset.`,
    'SVC_DATABASE_URL',
  );
}

function readScheme(address: string | null): string {
  if (address === null) return '';
  return /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase() ?? 'unknown';
}
