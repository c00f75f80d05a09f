import { LIMITS } from '../../config.ts';
import { TollbookError } from '../../domain/errors.ts';
import type { ZoneChange } from '../../domain/limits/limit.ts';
import { parseName } from '../../domain/identity/name.ts';
import { unlessUnchanged } from '../../domain/identity/stored-value.ts';
import { parseTimeZone } from '../../domain/time/time-zone.ts';
import { changeZone } from '../../domain/time/window.ts';
import { newId } from '../../lib/crypto/id.ts';
import { type Actor, audited } from './audit.ts';
import { type ChangeCheck, DEFAULT_WORKSPACE, type RecordContext } from './context.ts';
import { addMember } from './members.ts';
import type { RecordDb, RecordTables } from './tables.ts';

export interface Workspace {
  readonly id: string;
  readonly name: string;
  /** IANA name, for instance `Europe/Berlin`. */
  readonly timeZone: string;
  /** Entries older than this many days are dropped; roll-ups stay. */
  readonly retentionDays: number;
  readonly createdAt: number;
}

export interface WorkspaceRecords {
  list(): Promise<Workspace[]>;
  get(id: string): Promise<Workspace>;
  /** Names are unique. Without a time zone: UTC. Without a retention: 400 days. */
  create(
    input: {
      name: string;
      timeZone?: string;
      retentionDays?: number;
      /** Id of a user. Default: none. */
      owner?: string;
    },
    actor: Actor,
  ): Promise<Workspace>;
  update(
    id: string,
    change: { name?: string; timeZone?: string; retentionDays?: number },
    actor: Actor,
    check?: ChangeCheck<Workspace>,
  ): Promise<Workspace>;
}

const WORKSPACES_MAX = 1_000;
/** Only open windows need earlier zones, and no window is longer than a month. */
const ZONES_KEPT_MAX = 20;
/** A hundred years. */
const RETENTION_DAYS_MAX = 36_500;

/** Creates the default workspace if it is missing. */
export async function ensureDefaultWorkspace({ db, clock }: RecordContext): Promise<void> {
  const row = {
    id: DEFAULT_WORKSPACE,
    name: 'default',
    time_zone: 'UTC',
    time_zones: firstZone('UTC'),
    retention_days: LIMITS.retentionDaysDefault,
    created_at: clock(),
  };
  // Of two processes that open a new database, one conflicts by the id or by the name, whichever is checked first.
  await db
    .insertInto('workspaces')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export function workspaceRecords(context: RecordContext): WorkspaceRecords {
  const { db, clock } = context;
  return {
    async list() {
      return (await db.selectFrom('workspaces').selectAll().orderBy('created_at').orderBy('id').execute()).map(
        toWorkspace,
      );
    },
    get: (id) => loadWorkspace(db, id),
    create: (input, actor) =>
      audited(context, actor, async (tx, note) => {
        const zone = parseTimeZone(input.timeZone ?? 'UTC');
        const row = {
          id: newId('ws', clock),
          name: parseName(input.name),
          time_zone: zone,
          time_zones: firstZone(zone),
          retention_days: parseRetention(input.retentionDays ?? LIMITS.retentionDaysDefault),
          created_at: clock(),
        };
        await requireFreeWorkspaceName(tx, row.name, row.id);
        const { count } = await tx
          .selectFrom('workspaces')
          .select((select) => select.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        if (count >= WORKSPACES_MAX)
          throw new TollbookError('unprocessable', `There can be at most ${WORKSPACES_MAX} workspaces.`);
        await tx.insertInto('workspaces').values(row).execute();
        const workspace = toWorkspace(row);
        const after = workspaceFacts(workspace);
        await note({ workspaceId: row.id, action: 'workspace.create', subject: row.id, before: null, after });
        const { id: workspaceId, createdAt } = workspace;
        if (input.owner !== undefined)
          await addMember(tx, note, { workspaceId, userId: input.owner, role: 'owner', since: createdAt });
        return workspace;
      }),
    update: (id, change, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const row = await loadRow(tx, id);
        const before = toWorkspace(row);
        check?.(before);
        const after: Workspace = {
          ...before,
          name: readUnless(change.name, before.name, parseName),
          timeZone: change.timeZone === undefined ? before.timeZone : parseTimeZone(change.timeZone),
          retentionDays: readUnless(change.retentionDays, before.retentionDays, parseRetention),
        };
        await requireFreeWorkspaceName(tx, after.name, id);
        const values = {
          name: after.name,
          time_zone: after.timeZone,
          time_zones: JSON.stringify(withZone(readZones(row), after.timeZone, await afterLimits(tx, id, clock()))),
          retention_days: after.retentionDays,
        };
        await tx.updateTable('workspaces').set(values).where('id', '=', id).execute();
        await note({
          workspaceId: id,
          action: 'workspace.update',
          subject: id,
          before: workspaceFacts(before),
          after: workspaceFacts(after),
        });
        return after;
      }),
  };
}

async function loadWorkspace(db: RecordDb, id: string): Promise<Workspace> {
  return toWorkspace(await loadRow(db, id));
}

async function loadRow(db: RecordDb, id: string): Promise<RecordTables['workspaces']> {
  const row = await db.selectFrom('workspaces').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw new TollbookError('not_found', `There is no workspace "${id}".`, 'workspace');
  return row;
}

/** Returns the time zones of a workspace since its creation, for its limits. */
export function readZones({ time_zones }: Pick<RecordTables['workspaces'], 'time_zones'>): ZoneChange[] {
  return JSON.parse(time_zones) as ZoneChange[];
}

/** Returns the later of now and the last creation of a limit, so that a clock that stepped back does not matter. */
async function afterLimits(db: RecordDb, workspaceId: string, now: number): Promise<number> {
  const query = db.selectFrom('limits').select((select) => select.fn.max('created_at').as('last'));
  const row = await query.where('workspace_id', '=', workspaceId).executeTakeFirst();
  return Math.max(now, row?.last ?? 0);
}

function firstZone(zone: string): string {
  return JSON.stringify([{ zone, since: 0 }] satisfies ZoneChange[]);
}

/**
 * Adds a time zone. Above the maximum the oldest are dropped, and the first remaining one counts as having always
 * been set.
 */
function withZone(zones: readonly ZoneChange[], zone: string, since: number): ZoneChange[] {
  const [first, ...later] = changeZone(zones, { zone, since }).slice(-ZONES_KEPT_MAX);
  return first ? [{ ...first, since: 0 }, ...later] : later;
}

async function requireFreeWorkspaceName(db: RecordDb, name: string, id: string): Promise<void> {
  const taken = await db
    .selectFrom('workspaces')
    .select('id')
    .where('name', '=', name)
    .where('id', '!=', id)
    .executeTakeFirst();
  if (taken) throw new TollbookError('conflict', `There is a workspace named "${name}" already.`, 'name');
}

/** Returns the stored value if none is given. */
function readUnless<Value>(written: Value | undefined, before: Value, read: (value: Value) => Value): Value {
  return written === undefined ? before : unlessUnchanged(before, written, () => read(written));
}

function parseRetention(days: number): number {
  if (Number.isSafeInteger(days) && days >= 1 && days <= RETENTION_DAYS_MAX) return days;
  throw new TollbookError('invalid', `The retention must be 1 to ${RETENTION_DAYS_MAX} whole days.`, 'retentionDays');
}

function workspaceFacts({ name, timeZone, retentionDays }: Workspace): Record<string, unknown> {
  return { name, timeZone, retentionDays };
}

function toWorkspace(row: RecordTables['workspaces']): Workspace {
  return {
    id: row.id,
    name: row.name,
    timeZone: row.time_zone,
    retentionDays: row.retention_days,
    createdAt: row.created_at,
  };
}
