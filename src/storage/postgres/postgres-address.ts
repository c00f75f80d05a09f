import { readFileSync } from 'node:fs';
import type { PoolConfig } from 'pg';
import { TollbookError } from '../../domain/errors.ts';

const SETTING = 'SVC_DATABASE_URL';
const SSL_FILES = ['sslrootcert', 'sslcert', 'sslkey'];
/** Modes that say in full whether the connection is encrypted, and whether the server's certificate is checked. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];

/**
 * Reads the address of a database as `psql` does. Throws `invalid`, and never shows the address: it may hold a password.
 */
export function parsePostgresAddress(address: string): PoolConfig {
  const url = URL.parse(address);
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol))
    throw wrong(
      'is not an address like postgres://user:password@host:5432/name. In a password write "#" as %23, "/" as %2F, "@" as %40, "%" as %25',
    );
  if (url.pathname.length < 2) throw wrong('names no database, as in postgres://user@host:5432/name');
  if (url.hostname.includes(','))
    throw wrong('names several hosts, and can have one: let it lead to the primary server');
  for (const name of SSL_FILES) requireReadableFile(name, url.searchParams.get(name));
  const mode = url.searchParams.get('sslmode');
  if (mode !== null) {
    if (!SSL_MODES.includes(mode)) throw wrong(`has a sslmode that is none of ${SSL_MODES.join(', ')}`);
    if (mode === 'verify-ca' && !url.searchParams.has('sslrootcert'))
      throw wrong('has sslmode=verify-ca without sslrootcert, the file with the certificate of the CA');
    // Otherwise the driver reads some modes in its own way.
    url.searchParams.set('uselibpqcompat', 'true');
  }
  return { connectionString: url.href };
}

function requireReadableFile(name: string, path: string | null): void {
  if (path === null) return;
  try {
    readFileSync(path);
  } catch (error) {
    throw wrong(
      `names a file in ${name} that can't be read (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

function wrong(what: string): TollbookError {
  return new TollbookError('invalid', `${SETTING} ${what}.`, SETTING);
}
