import { hash, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { inject, onTestFinished } from 'vitest';
import type { LauncherAnswer } from './postgres-launcher.ts';

/** Collation and encoding that the service requires. */
const LOCALE = `ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`;

/** A database that is prepared once a run and copied for each test. */
export interface DatabaseTemplate {
  /** A short word. */
  readonly name: string;
  /** Changes when a run prepares it differently: a server that stays keeps no old one. */
  readonly version: string;
  /** Fills the empty database, and closes its connections. */
  prepare(url: string): Promise<void>;
}

export interface TestDatabase {
  readonly url: string;
  /** Ends its connections and deletes it. */
  drop(): Promise<void>;
}

/** Returns the address of a new database, which is dropped when the test ends. */
export async function temporaryDatabase(template: DatabaseTemplate | null = null): Promise<string> {
  const database = await createDatabase(template);
  onTestFinished(() => database.drop());
  return database.url;
}

/** Creates a database on the server of this test run: empty, or a copy of a template. */
export async function createDatabase(template: DatabaseTemplate | null = null): Promise<TestDatabase> {
  const server = await serverUrl();
  const name = `${inject('postgresDatabases')}${randomUUID().replaceAll('-', '')}`;
  const source = template && (await prepared(server, template));
  // Copying files is twice as fast as writing them through the log.
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${source ?? `template0 ${LOCALE}`} STRATEGY file_copy`);
  return {
    url: addressOf(server, name),
    drop: () => onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

let server: Promise<string> | null = null;

/** Returns the address of the server of this test run; the first test to ask starts it. */
function serverUrl(): Promise<string> {
  server ??= text(connect(inject('postgresLauncher'), '127.0.0.1')).then((answer) => {
    const found = JSON.parse(answer) as LauncherAnswer;
    if ('error' in found) throw new Error(found.error);
    return found.url;
  });
  return server;
}

const templates = new Map<string, Promise<string>>();

function prepared(url: string, template: DatabaseTemplate): Promise<string> {
  const name = `tollbook_template_${template.name}_${hash('sha256', template.version).slice(0, 16)}`;
  const known = templates.get(name) ?? prepare(url, name, template);
  templates.set(name, known);
  return known;
}

/** Several test files may need the same template at once: the first makes it, the others wait. */
async function prepare(url: string, name: string, template: DatabaseTemplate): Promise<string> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount !== 0) return name;
    const draft = `${name}_draft`;
    await client.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${draft} TEMPLATE template0 ${LOCALE}`);
    await template.prepare(addressOf(url, draft));
    await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
    return name;
  } finally {
    await client.end();
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function addressOf(url: string, database: string): string {
  return Object.assign(new URL(url), { pathname: `/${database}` }).href;
}
