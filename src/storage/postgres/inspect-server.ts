import type { Clock } from '../../lib/clock.ts';
import type { StorageCheck } from '../engine.ts';
import type { PostgresQueries } from './postgres-pool.ts';

/** Maximum difference to the server's clock. */
const CLOCK_OFF_MS_MAX = 5_000;

const FACTS = `SELECT current_setting('server_version') AS version,
  current_setting('max_connections')::integer AS "connectionsMax",
  current_setting('superuser_reserved_connections')::integer
    + coalesce(current_setting('reserved_connections', true)::integer, 0) AS "connectionsReserved",
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS "fullPageWrites",
  current_setting('synchronous_commit') AS "synchronousCommit",
  current_setting('synchronous_standby_names') AS "synchronousStandbys",
  (SELECT count(*) FROM pg_stat_replication)::integer AS standbys,
  (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`;

/** Facts about a server that decide whether it keeps what it has committed. */
export interface ServerReport {
  readonly version: string;
  readonly connectionsMax: number;
  readonly connectionsReserved: number;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly synchronousCommit: string;
  /** Names of standbys that confirm commits; '' = none. */
  readonly synchronousStandbys: string;
  readonly standbys: number;
  /** Epoch ms. */
  readonly now: number;
}

/** Checks a server during operation. `poolMax`: connections of this process. */
export async function inspectServer(queries: PostgresQueries, poolMax: number, clock: Clock): Promise<StorageCheck[]> {
  const began = clock();
  const { rows } = await queries.query({ text: FACTS });
  const ms = clock() - began;
  const report = rows[0] as unknown as ServerReport;
  return [
    checkConnections(report, ms, poolMax),
    checkDurability(report),
    checkStandby(report),
    checkClock(report.now - (began + ms / 2)),
  ];
}

function checkConnections(report: ServerReport, ms: number, poolMax: number): StorageCheck {
  const { version, connectionsMax, connectionsReserved } = report;
  // One more listens for changes, and one marks the database as in use.
  const needed = poolMax + 2;
  const free = connectionsMax - connectionsReserved;
  const answer = `PostgreSQL ${version} answers in ${ms} ms`;
  if (needed > free)
    return warned(
      'database',
      `${answer}, but has ${free} connections and Tollbook may open ${needed}. Raise max_connections, or lower SVC_DATABASE_POOL.`,
    );
  return passed('database', `${answer}. Tollbook opens at most ${needed} of its ${free} connections.`);
}

/** Checks whether a commit survives a crash of the server's machine. */
export function checkDurability({ fsync, fullPageWrites, synchronousCommit }: ServerReport): StorageCheck {
  if (fsync === 'off' || fullPageWrites === 'off')
    return warned(
      'durability',
      `${fsync === 'off' ? 'fsync' : 'full_page_writes'} is off: a power failure may damage the database. Set it to on.`,
    );
  if (synchronousCommit === 'off')
    return warned(
      'durability',
      'synchronous_commit is off: a crash of the server loses the last changes, for instance a revoked key. Set it to on.',
    );
  return passed('durability', 'What PostgreSQL has committed survives a power failure.');
}

/** Checks whether a failover to a standby may lose commits. */
export function checkStandby({ standbys, synchronousStandbys, synchronousCommit }: ServerReport): StorageCheck {
  if (standbys === 0 && synchronousStandbys !== '')
    return warned(
      'standby',
      'synchronous_standby_names names a standby, and none copies the database now: changes wait for it. Start it, or take it out of the setting.',
    );
  if (standbys === 0) return passed('standby', 'No standby copies the database now.');
  if (synchronousStandbys === '' || synchronousCommit === 'local' || synchronousCommit === 'off')
    return warned(
      'standby',
      'No standby confirms commits: a failover may lose the last of them. Name one in synchronous_standby_names, and set synchronous_commit to on.',
    );
  return passed('standby', 'A standby confirms each commit.');
}

export function checkClock(offMs: number): StorageCheck {
  if (Math.abs(offMs) <= CLOCK_OFF_MS_MAX) return passed('database clock', 'The clocks here and of PostgreSQL agree.');
  const seconds = Math.round(Math.abs(offMs) / 1_000);
  return warned(
    'database clock',
    `The clock of PostgreSQL is ${seconds} s ${offMs > 0 ? 'ahead of' : 'behind'} the one here. Set both by NTP.`,
  );
}

function passed(name: string, message: string): StorageCheck {
  return { name, state: 'ok', message };
}

function warned(name: string, message: string): StorageCheck {
  return { name, state: 'warning', message };
}
