import type { SelectQueryBuilder } from 'kysely';
import { TollbookError } from '../../domain/errors.ts';
import {
  type Limit,
  type LimitAction,
  type LimitRaise,
  type LimitScope,
  type LimitUnit,
  type LimitWindow,
  scopeKeyId,
  type UncertainRule,
  type ZoneChange,
} from '../../domain/limits/limit.ts';
import { newId } from '../../lib/crypto/id.ts';
import { type Actor, audited, type AuditNote } from './audit.ts';
import { checkLimit, checkRaise, type NewLimit } from './check-limit.ts';
import { type ChangeCheck, notFound, type RecordContext, requireRoom } from './context.ts';
import { asKnownTo, awaitOlderCalls, dropPending, readPending } from './pending-backfills.ts';
import type { RecordDb, RecordTables, RecordTransaction } from './tables.ts';
import { readZones } from './workspaces.ts';
import { describeScope } from '../../domain/text/limits.ts';

/** Fields that identify a limit: a workspace has at most one for each combination. */
export type LimitKind = Pick<NewLimit, 'workspaceId' | 'scope' | 'unit' | 'window' | 'action'>;

export interface LimitRecords {
  /** Creates a limit. A second limit of the same scope, unit, window and action is a `conflict`. */
  create(input: NewLimit, actor: Actor): Promise<Limit>;
  /** Oldest first. */
  list(workspaceId: string): Promise<Limit[]>;
  get(workspaceId: string, id: string): Promise<Limit>;
  /** Returns up to `limit` limits after the id `after`, oldest first; null = from the first. */
  page(workspaceId: string, after: string | null, limit: number): Promise<Limit[]>;
  /** Returns the limit of this kind; null = none. */
  find(kind: LimitKind): Promise<Limit | null>;
  /** Changes a limit. A new scope, unit or window gives it new counters, which are then backfilled. */
  update(
    workspaceId: string,
    id: string,
    change: Partial<Omit<NewLimit, 'workspaceId'>>,
    actor: Actor,
    check?: ChangeCheck<Limit>,
  ): Promise<Limit>;
  raise(
    workspaceId: string,
    id: string,
    raise: LimitRaise | null,
    actor: Actor,
    check?: ChangeCheck<Limit>,
  ): Promise<Limit>;
  remove(workspaceId: string, id: string, actor: Actor, check?: ChangeCheck<Limit>): Promise<Limit>;
  /** Returns the limit with this counter; null = deleted or changed. */
  byCounter(counter: number): Promise<Limit | null>;
  /**
   * Marks the counters as backfilled by a node, without an audit row. Ignored for a counter that is gone.
   * @param node default: this one
   */
  markBackfilled(counter: number, node?: string | null): Promise<void>;
  /**
   * Returns the limits of all workspaces. `countsPast` is what a node knows.
   * @param node default: this one
   */
  all(node?: string | null): Promise<Limit[]>;
  /** Returns counters that lack calls which nodes had before the limit was created. */
  pendingBackfills(): Promise<ReadonlySet<number>>;
  /** Returns limits of all workspaces that release uncertain amounts. */
  releasing(): Promise<Limit[]>;
  /** Returns limits of all workspaces that count observed calls. */
  countingObserved(): Promise<Limit[]>;
}

type LimitRow = RecordTables['limits'];

const KEEP_UNCERTAIN = JSON.stringify('keep' satisfies UncertainRule);

/** Cache: most of the many limits have the same thresholds. */
let lastThresholds: { readonly text: string; readonly list: readonly number[] } = { text: '[]', list: [] };

function parseThresholds(text: string): readonly number[] {
  lastThresholds = { text, list: JSON.parse(text) as number[] };
  return lastThresholds.list;
}

/**
 * Returns the zones since the limit was created; the first counts as having always been set. A change in the same
 * millisecond counts as later.
 */
function zonesSince(made: number, zones: readonly ZoneChange[]): readonly ZoneChange[] {
  const before = zones.findLastIndex(({ since }) => since < made);
  const first = zones[before];
  return before <= 0 || !first ? zones : [{ ...first, since: 0 }, ...zones.slice(before + 1)];
}

/** Converts a row; `zones` are the time zones of its workspace. */
function toLimit(row: LimitRow, zones: readonly ZoneChange[]): Limit {
  return {
    id: row.id,
    counter: row.counter,
    workspaceId: row.workspace_id,
    scope: JSON.parse(row.scope) as LimitScope,
    unit: row.unit as LimitUnit,
    amount: row.amount,
    raise: row.raise === null ? null : (JSON.parse(row.raise) as LimitRaise),
    window: row.window as LimitWindow,
    action: row.action as LimitAction,
    thresholds: row.thresholds === lastThresholds.text ? lastThresholds.list : parseThresholds(row.thresholds),
    uncertain: row.uncertain === KEEP_UNCERTAIN ? 'keep' : (JSON.parse(row.uncertain) as UncertainRule),
    label: row.label,
    countsObserved: row.counts_observed === 1,
    zones: zonesSince(row.created_at, zones),
    countsPast: row.backfilled === 1,
  };
}

/** Serializes a scope with its fields in a fixed order, so that equal scopes are equal texts. */
function scopeText(scope: LimitScope): string {
  switch (scope.kind) {
    case 'workspace':
      return JSON.stringify({ kind: scope.kind });
    case 'key':
      return JSON.stringify({ kind: scope.kind, keyId: scope.keyId });
    case 'provider':
      return JSON.stringify({ kind: scope.kind, provider: scope.provider });
    case 'model':
      return JSON.stringify({ kind: scope.kind, pattern: scope.pattern });
    case 'tag':
      return JSON.stringify({ kind: scope.kind, key: scope.key, value: scope.value });
    case 'each_tag':
      return JSON.stringify({ kind: scope.kind, key: scope.key });
    case 'each':
      return JSON.stringify({ kind: scope.kind, of: scope.of, keyId: scope.keyId });
  }
}

/** In all workspaces; the gateway keeps all limits in memory. */
const LIMITS_MAX = 200_000;
/** Per scope: every call in it is checked against each of them. */
const PER_SCOPE_MAX = 20;
/** Per workspace: every call is checked against each of them. */
const EACH_TAG_MAX = 50;
const PATTERNS_MAX = 1_000;
/** Patterns with a star before the end: each model is matched against every one. */
const GENERAL_PATTERNS_MAX = 100;
/** Setting with the last counter number. */
const LAST_COUNTER = 'limits.counter';

export function limitRecords(context: RecordContext): LimitRecords {
  return { ...limitReaders(context), ...limitWriters(context) };
}

type LimitReader =
  | 'list'
  | 'page'
  | 'get'
  | 'find'
  | 'byCounter'
  | 'all'
  | 'pendingBackfills'
  | 'releasing'
  | 'countingObserved';

function limitReaders({ db, nodeId }: RecordContext): Pick<LimitRecords, LimitReader> {
  return {
    async list(workspaceId) {
      const zones = await readLimitZones(db, workspaceId);
      const query = db.selectFrom('limits').selectAll().where('workspace_id', '=', workspaceId);
      const rows = await query.orderBy('created_at').orderBy('id').execute();
      return rows.map((row) => toLimit(row, zones));
    },
    async page(workspaceId, after, limit) {
      const zones = await readLimitZones(db, workspaceId);
      const query = db.selectFrom('limits').selectAll().where('workspace_id', '=', workspaceId);
      // Ids begin with the time at which they were made.
      const rows = await query
        .where('id', '>', after ?? '')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map((row) => toLimit(row, zones));
    },
    async get(workspaceId, id) {
      const limit = await loadLimit(db, workspaceId, id);
      return asKnownTo(limit, await readPending(db, nodeId));
    },
    async find(kind) {
      const row = await selectSameKind(db, kind).selectAll().executeTakeFirst();
      return row ? toLimit(row, await readLimitZones(db, row.workspace_id)) : null;
    },
    async byCounter(counter) {
      const row = await db.selectFrom('limits').selectAll().where('counter', '=', counter).executeTakeFirst();
      return row ? toLimit(row, await readLimitZones(db, row.workspace_id)) : null;
    },
    async all(node = nodeId) {
      const limits = await listLimits(db, db.selectFrom('limits').selectAll());
      const pending = await readPending(db, node);
      return pending.size === 0 ? limits : limits.map((limit) => asKnownTo(limit, pending));
    },
    async pendingBackfills() {
      const rows = await db.selectFrom('pending_backfills').select('counter').distinct().execute();
      return new Set(rows.map(({ counter }) => counter));
    },
    countingObserved: () => listLimits(db, db.selectFrom('limits').selectAll().where('counts_observed', '=', 1)),
    releasing: () => listLimits(db, db.selectFrom('limits').selectAll().where('uncertain', '!=', KEEP_UNCERTAIN)),
  };
}

async function listLimits(db: RecordDb, query: SelectQueryBuilder<RecordTables, 'limits', LimitRow>): Promise<Limit[]> {
  const workspaces = await db.selectFrom('workspaces').select(['id', 'time_zones']).execute();
  const zones = new Map(workspaces.map((row) => [row.id, readZones(row)]));
  return (await query.execute()).map((row) => toLimit(row, zones.get(row.workspace_id) ?? []));
}

function limitWriters(context: RecordContext): Omit<LimitRecords, LimitReader> {
  const { db, clock, nodeId } = context;
  return {
    create: (input, actor) =>
      audited(context, actor, async (tx, note) => {
        const limit = checkLimit(input);
        const zones = await readLimitZones(tx, limit.workspaceId);
        await requireFreeKind(tx, limit, null);
        await requireRoomFor(tx, limit);
        const row: LimitRow = {
          ...limitColumns(limit),
          ...(await newCounter(tx, context, limit)),
          id: newId('lim', clock),
          workspace_id: limit.workspaceId,
          raise: null,
          created_at: clock(),
        };
        await tx.insertInto('limits').values(row).execute();
        const made = toLimit(row, zones);
        await note(limitNote('limit.create', null, made));
        return made;
      }),
    update: (workspaceId, id, fields, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const before = await loadLimit(tx, workspaceId, id);
        check?.(before);
        const limit = checkLimit({ ...before, ...fields, workspaceId }, before);
        const columns = limitColumns(limit);
        if (limit.unit !== before.unit && fields.amount === undefined)
          throw new TollbookError('invalid', `Give the amount in ${limit.unit} too: the unit changes.`, 'amount');
        const isOtherScope = columns.scope !== scopeText(before.scope);
        const isOther = isOtherScope || limit.unit !== before.unit || limit.window !== before.window;
        if (isOther || limit.action !== before.action) await requireFreeKind(tx, limit, id);
        if (isOtherScope) await requireRoomFor(tx, limit);
        const values = {
          ...columns,
          ...(isOther && (await newCounter(tx, context, limit))),
          ...(limit.unit !== before.unit && { raise: null }),
        };
        await tx.updateTable('limits').set(values).where('id', '=', id).execute();
        if (isOther) await dropPending(tx, before.counter);
        return noteLimitChange(tx, note, 'limit.update', before);
      }),
    raise: (workspaceId, id, raise, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const before = await loadLimit(tx, workspaceId, id);
        check?.(before);
        const text = raise && JSON.stringify(checkRaise(before, raise, clock()));
        await tx.updateTable('limits').set({ raise: text }).where('id', '=', id).execute();
        return noteLimitChange(tx, note, 'limit.raise', before);
      }),
    remove: (workspaceId, id, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const limit = await loadLimit(tx, workspaceId, id);
        check?.(limit);
        await tx.deleteFrom('limits').where('id', '=', id).execute();
        await dropPending(tx, limit.counter);
        await note(limitNote('limit.remove', limit, null));
        return limit;
      }),
    async markBackfilled(counter, node = nodeId) {
      if (node !== null) await dropPending(db, counter, node);
      const marked = db.updateTable('limits').set({ backfilled: 1 }).where('counter', '=', counter);
      // Other nodes read each changed record.
      await marked.where('backfilled', '=', 0).execute();
    },
  };
}

/** Reloads the limit and writes an audit row if anything changed. */
async function noteLimitChange(
  tx: RecordTransaction,
  note: (note: AuditNote) => Promise<void>,
  action: string,
  before: Limit,
): Promise<Limit> {
  const after = await loadLimit(tx, before.workspaceId, before.id);
  if (JSON.stringify(limitFacts(before)) !== JSON.stringify(limitFacts(after)))
    await note(limitNote(action, before, after));
  return after;
}

type LimitColumns = Omit<LimitRow, 'id' | 'counter' | 'workspace_id' | 'raise' | 'backfilled' | 'created_at'>;

function limitColumns(limit: NewLimit): LimitColumns {
  return {
    kind: limit.scope.kind,
    scope: scopeText(limit.scope),
    unit: limit.unit,
    amount: limit.amount,
    window: limit.window,
    action: limit.action,
    thresholds: JSON.stringify(limit.thresholds),
    uncertain: JSON.stringify(limit.uncertain),
    label: limit.label,
    counts_observed: limit.countsObserved ? 1 : 0,
  };
}

/** Returns a new counter number. Calls in flight need no backfill. */
async function newCounter(
  tx: RecordTransaction,
  { hasNodes }: RecordContext,
  { unit }: NewLimit,
): Promise<Pick<LimitRow, 'counter' | 'backfilled'>> {
  const last = await tx.selectFrom('settings').select('value').where('name', '=', LAST_COUNTER).executeTakeFirst();
  const counter = Number(last?.value ?? 0) + 1;
  const value = String(counter);
  await tx
    .insertInto('settings')
    .values({ name: LAST_COUNTER, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
  if (unit === 'concurrency') return { counter, backfilled: 1 };
  if (hasNodes) await awaitOlderCalls(tx, counter);
  return { counter, backfilled: 0 };
}

async function loadLimit(db: RecordDb, workspaceId: string, id: string): Promise<Limit> {
  const query = db.selectFrom('limits').selectAll().where('workspace_id', '=', workspaceId).where('id', '=', id);
  const row = await query.executeTakeFirst();
  if (!row) throw notFound('limit', id);
  return toLimit(row, await readLimitZones(db, workspaceId));
}

async function readLimitZones(db: RecordDb, workspaceId: string): Promise<Limit['zones']> {
  const query = db.selectFrom('workspaces').select('time_zones').where('id', '=', workspaceId);
  const row = await query.executeTakeFirst();
  if (!row) throw new TollbookError('not_found', `There is no workspace "${workspaceId}".`, 'workspace');
  return readZones(row);
}

async function requireFreeKind(tx: RecordTransaction, limit: NewLimit, id: string | null): Promise<void> {
  const { unit, window, scope } = limit;
  const found = await selectSameKind(tx, limit).select('id').executeTakeFirst();
  if (found && found.id !== id)
    throw new TollbookError(
      'conflict',
      `There is a limit of ${unit} per ${window} for ${describeScope(scope)} already (${found.id}). Change that one.`,
      'scope',
    );
}

function selectSameKind(db: RecordDb, { workspaceId, scope, unit, window, action }: LimitKind) {
  return db
    .selectFrom('limits')
    .where('workspace_id', '=', workspaceId)
    .where('scope', '=', scopeText(scope))
    .where('unit', '=', unit)
    .where('window', '=', window)
    .where('action', '=', action);
}

async function requireRoomFor(tx: RecordTransaction, { workspaceId, scope }: NewLimit): Promise<void> {
  await requireKey(tx, workspaceId, scope);
  const all = tx.selectFrom('limits').select((select) => select.fn.countAll<number>().as('count'));
  const { count } = await all.executeTakeFirstOrThrow();
  if (count >= LIMITS_MAX) throw new TollbookError('unprocessable', `There can be at most ${LIMITS_MAX} limits.`);
  const ofScope = all.where('workspace_id', '=', workspaceId).where('scope', '=', scopeText(scope));
  requireRoom((await ofScope.executeTakeFirstOrThrow()).count, PER_SCOPE_MAX, `limits for ${describeScope(scope)}`);
  if (scope.kind === 'each_tag') {
    const kinds = all.where('workspace_id', '=', workspaceId).where('kind', '=', scope.kind);
    requireRoom((await kinds.executeTakeFirstOrThrow()).count, EACH_TAG_MAX, 'limits for each value of a tag');
  }
  if (scope.kind === 'model') await requireRoomForPattern(tx, workspaceId, scope.pattern);
}

async function requireRoomForPattern(tx: RecordTransaction, workspaceId: string, pattern: string): Promise<void> {
  const query = tx.selectFrom('limits').select('scope').where('workspace_id', '=', workspaceId);
  const rows = await query.where('kind', '=', 'model').execute();
  requireRoom(rows.length, PATTERNS_MAX, 'limits for models');
  if (!isGeneral(pattern)) return;
  const general = rows.filter(({ scope }) => isGeneral((JSON.parse(scope) as { pattern: string }).pattern));
  const things = 'limits for models whose pattern has a star before its end';
  requireRoom(general.length, GENERAL_PATTERNS_MAX, things);
}

function isGeneral(pattern: string): boolean {
  return pattern.slice(0, -1).includes('*');
}

async function requireKey(tx: RecordTransaction, workspaceId: string, scope: LimitScope): Promise<void> {
  const keyId = scopeKeyId(scope);
  if (keyId === null) return;
  const query = tx.selectFrom('wrapped_keys').select('revoked_at').where('workspace_id', '=', workspaceId);
  const key = await query.where('id', '=', keyId).executeTakeFirst();
  if (!key) throw notFound('wrapped key', keyId);
  if (key.revoked_at !== null)
    throw new TollbookError('unprocessable', 'This wrapped key is revoked: it needs no limit.', 'scope');
}

function limitNote(action: string, before: Limit | null, after: Limit | null): AuditNote {
  const { workspaceId, id } = (before ?? after) as Limit;
  return { workspaceId, action, subject: id, before: before && limitFacts(before), after: after && limitFacts(after) };
}

/** Returns the fields that the audit row shows. */
function limitFacts(limit: Limit): Record<string, unknown> {
  const { scope, unit, amount, raise, window, action, thresholds, uncertain, label, countsObserved } = limit;
  return { scope, unit, amount, raise, window, action, thresholds, uncertain, label, countsObserved };
}
