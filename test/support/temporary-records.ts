import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { inject, onTestFinished } from 'vitest';
import type { NewMute } from '../../src/domain/alerts/mute.ts';
import type { RateCard } from '../../src/domain/pricing/price.ts';
import { POSTGRES_MIGRATIONS } from '../../src/storage/migrations/postgres.ts';
import { openPostgresDatabase, type PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts';
import { type OpenDatabase, openDatabase } from '../../src/storage/sqlite/open-database.ts';
import type { RecordDb } from '../../src/storage/records/tables.ts';
import { type DatabaseTemplate, temporaryDatabase } from './postgres.ts';
import type { NewAdminKey } from '../../src/storage/records/admin-keys.ts';
import { openRecords, type Records, type RecordsOptions } from '../../src/storage/records/records.ts';
import type { NewSubscription } from '../../src/storage/records/subscriptions.ts';
import { DEFAULT_WORKSPACE } from '../../src/storage/records/context.ts';
import type { NewKey } from '../../src/storage/records/keys.ts';
import type { NewLimit } from '../../src/storage/records/check-limit.ts';

/** Long enough to be used without key stretching, so that tests stay fast. */
export const TEST_SECRET = 'a-master-secret-for-tests-0123456789';
/** Secret that a rotation may change to. */
export const TEST_NEXT_SECRET = 'the-next-master-secret-0123456789abcdef';
export const TEST_NOW = 1_790_000_000_000;

/** Creates a folder that is deleted when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'records-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Migrated once and then copied, which is many times faster. */
let newest: Promise<Uint8Array> | null = null;

async function newestSchema(): Promise<Uint8Array> {
  const { sqlite, close } = await openDatabase(':memory:');
  const bytes = sqlite.serialize();
  await close();
  return bytes;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Absent = SQLite. */
    engine?: 'postgres';
  }
}

/** Engine of this run of the tests: each project of `vitest.config.ts` has its own. */
export const ENGINE = inject('engine') ?? 'sqlite';

export interface TemporaryRecords {
  readonly records: Records;
  readonly db: RecordDb;
  readonly dataDir: string;
  /** The time can be moved. */
  readonly time: { now: number };
}

/** Records in a real database of this run's engine; the clock moves by `stepMs` at every reading. */
export async function openTemporaryRecords(
  dataDir: string = temporaryFolder(),
  secret: string | null = TEST_SECRET,
  stepMs = 1,
  nextSecret: string | null = TEST_NEXT_SECRET,
): Promise<TemporaryRecords> {
  const { db } = await (ENGINE === 'postgres' ? openPostgres(dataDir) : openSqlite(dataDir));
  return await fillRecords({ db, dataDir, secret, nextSecret, shared: ENGINE === 'postgres' }, stepMs);
}

/** Records in a SQLite file, for tests of what only that has. */
export async function openSqliteRecords(
  dataDir: string = temporaryFolder(),
  secret: string | null = TEST_SECRET,
): Promise<TemporaryRecords & { readonly database: OpenDatabase; readonly file: string }> {
  const database = await openSqlite(dataDir);
  return {
    ...(await fillRecords({ db: database.db, dataDir, secret }, 1)),
    database,
    file: join(dataDir, 'ledger.db'),
  };
}

async function fillRecords(options: Omit<RecordsOptions, 'clock'>, stepMs: number): Promise<TemporaryRecords> {
  const { db, dataDir } = options;
  const time = { now: TEST_NOW };
  const clock = (): number => (time.now += stepMs);
  return { records: await openRecords({ ...options, clock }), db, dataDir, time };
}

async function openSqlite(dataDir: string): Promise<OpenDatabase> {
  const file = join(dataDir, 'ledger.db');
  if (!existsSync(file)) writeFileSync(file, await (newest ??= newestSchema()));
  const database = await openDatabase(file);
  onTestFinished(() => database.close());
  return database;
}

/** Few enough that changes must wait for each other, and more than one. */
const CONNECTIONS = 5;
export const LEDGER_TEMPLATE: DatabaseTemplate = {
  name: 'ledger',
  version: JSON.stringify(POSTGRES_MIGRATIONS),
  prepare: async (url) => (await openPostgresDatabase(url, 1)).close(),
};
/** A folder that is opened again leads to the same database, as it does to the same file. */
const databases = new Map<string, Promise<string>>();

async function openPostgres(dataDir: string): Promise<PostgresDatabase> {
  const url = databases.get(dataDir) ?? temporaryDatabase(LEDGER_TEMPLATE);
  databases.set(dataDir, url);
  const database = await openPostgresDatabase(await url, CONNECTIONS);
  onTestFinished(() => database.close());
  return database;
}

/** Runs statements on the database itself. Returns the rows of the last. */
export async function execute(db: RecordDb, ...statements: string[]): Promise<Record<string, unknown>[]> {
  let rows: Record<string, unknown>[] = [];
  for (const statement of statements) ({ rows } = await sql.raw<Record<string, unknown>>(statement).execute(db));
  return rows;
}

export function newKey(name: string, more: Partial<NewKey> = {}): NewKey {
  return {
    workspaceId: DEFAULT_WORKSPACE,
    name,
    provider: 'anthropic',
    tags: {},
    expiresAt: null,
    source: { providerKey: `sk-ant-api03-${name}-0123456789abcdef` },
    ...more,
  };
}

export function newAdminKey(more: Partial<NewAdminKey> = {}): NewAdminKey {
  return {
    workspaceId: DEFAULT_WORKSPACE,
    provider: 'anthropic',
    name: 'main',
    key: 'sk-ant-admin01-hidden-0123456789abcdef',
    organizationId: 'org_1',
    organizationName: 'Example',
    ...more,
  };
}

/** 5 USD a day for the whole workspace. */
export function newLimit(more: Partial<NewLimit> = {}): NewLimit {
  return {
    workspaceId: DEFAULT_WORKSPACE,
    scope: { kind: 'workspace' },
    unit: 'usd',
    amount: 5_000_000_000,
    window: 'day',
    action: 'block',
    thresholds: [50, 80, 95],
    uncertain: 'keep',
    label: null,
    countsObserved: false,
    ...more,
  };
}

/** Of everything that can be muted, for good. */
export function newMute(more: Partial<NewMute> = {}): NewMute {
  return { workspaceId: DEFAULT_WORKSPACE, type: null, scope: {}, until: null, reason: 'a known test', ...more };
}

export function rateCard(model: string, more: Partial<RateCard> = {}): RateCard {
  return {
    provider: 'anthropic',
    model,
    from: null,
    until: null,
    tiers: [{ above: -1, rates: { input: 3_000_000 } }],
    speeds: {},
    tierMultipliers: {},
    geoMultipliers: {},
    fees: {},
    contextWindow: null,
    version: `user/${model}#1`,
    source: 'user',
    ...more,
  };
}

export function newSubscription(changes: Partial<NewSubscription> = {}): NewSubscription {
  return {
    workspaceId: DEFAULT_WORKSPACE,
    name: 'Claude Max 5x',
    provider: 'anthropic',
    plan: 'max_5x',
    monthlyCost: 100_000_000_000,
    seats: 1,
    startedOn: '2026-01-01',
    endedOn: null,
    tokenIds: [],
    ...changes,
  };
}
