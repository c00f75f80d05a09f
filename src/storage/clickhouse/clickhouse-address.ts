import { TollbookError } from '../../domain/errors.ts';

const SETTING = 'SVC_CLICKHOUSE_URL';

export interface ClickhouseAddress {
  /** Protocol, host and port. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

/** Reads the address of a ClickHouse database. Throws `invalid`, and never shows the address: it may hold a password. */
export function parseClickhouseAddress(address: string): ClickhouseAddress {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol))
    throw wrongAddress('is not an address like http://user:password@host:8123/database');
  const database = decodeURIComponent(url.pathname.slice(1));
  if (database === '' || database.includes('/'))
    throw wrongAddress('names no database, as in http://host:8123/tollbook');
  return {
    url: url.origin,
    username: decodeURIComponent(url.username) || 'default',
    password: decodeURIComponent(url.password),
    database,
  };
}

function wrongAddress(sentence: string): TollbookError {
  return new TollbookError('invalid', `${SETTING} ${sentence}.`, SETTING);
}
