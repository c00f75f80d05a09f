import { type Actor, audited } from './audit.ts';
import { notFound, type RecordContext } from './context.ts';
import type { RecordDb, RecordTables, RecordTransaction } from './tables.ts';
import { type Alert, ALERT_TYPES, type AlertSeverity, type AlertType, SEVERITIES } from '../../domain/alerts/alert.ts';
import { storedWord } from './stored-word.ts';
import { parseWebhookType } from '../../domain/alerts/webhook.ts';
import { WEBHOOK_KINDS } from '../../domain/alerts/webhook-kinds.ts';
import { newId } from '../../lib/crypto/id.ts';
import { type DeliveryKind, newDelivery } from './delivery-records.ts';
import { isMuted } from './mutes.ts';

export interface StoredAlert extends Alert {
  readonly id: string;
  readonly readAt: number | null;
  /** Time at which the incident ended; null = not known to have ended. */
  readonly resolvedAt: number | null;
}

interface AlertQuery {
  readonly limit: number;
  readonly unreadOnly: boolean;
  /** Only alerts older than the one with this id. */
  readonly before?: string | null;
  readonly types?: readonly AlertType[];
  readonly severity?: AlertSeverity;
}

export interface AlertRecords {
  /**
   * Stores an alert once per workspace and episode; null = already stored, or muted. An unread alert of the same
   * episode takes the newer text and figures. Queues deliveries to the webhooks that receive its type in the same
   * transaction.
   */
  raise(alert: Alert): Promise<StoredAlert | null>;
  /** Ends an open episode and notifies the webhooks that receive ends; null = no such open episode. */
  resolve(workspaceId: string, episode: string, at: number): Promise<StoredAlert | null>;
  /** Returns unresolved alerts, oldest first. */
  open(workspaceId: string, types: readonly AlertType[]): Promise<StoredAlert[]>;
  get(workspaceId: string, id: string): Promise<StoredAlert>;
  /** Idempotent: the first call sets the time. */
  markRead(workspaceId: string, id: string, actor: Actor): Promise<StoredAlert>;
  /** Returns unread alerts of all workspaces, oldest first. */
  unread(type: AlertType): Promise<StoredAlert[]>;
  /** Newest first. */
  list(workspaceId: string, query: AlertQuery): Promise<StoredAlert[]>;
  /** Counts unread alerts, up to `max`. */
  countUnread(workspaceId: string, max: number): Promise<number>;
}

/** Above this, the oldest alerts are deleted, unless a delivery still waits for them. */
const ALERTS_PER_WORKSPACE_MAX = 10_000;
/** Above this, the oldest alerts are deleted even if a delivery waits. */
const UNSENT_ALERTS_PER_WORKSPACE_MAX = 50_000;
const ALERTS_DROPPED_AT_ONCE_MAX = 100;
/** Rows of one statement. */
const QUEUED_AT_ONCE_MAX = 50;

type RaisedAlertRow = RecordTables['alerts'];

/** Stores an alert and queues its deliveries in one transaction. See `AlertRecords.raise`. */
export async function raiseAlert(
  tx: RecordTransaction,
  context: RecordContext,
  alert: Alert,
): Promise<RaisedAlertRow | null> {
  if (await isMuted(tx, alert, context.clock())) return null;
  const row = toAlertRow(newId('al', context.clock), alert);
  const kept = await tx
    .insertInto('alerts')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'episode']).doUpdateSet(newerColumns(row)).where('alerts.read_at', 'is', null),
    )
    .returning('id')
    .executeTakeFirst();
  if (kept?.id !== row.id) return null;
  await queueDeliveries(tx, context, row, 'alert');
  await dropOldestAlerts(tx, alert.workspaceId);
  return row;
}

/** See `AlertRecords.resolve`. */
export async function resolveAlert(
  tx: RecordTransaction,
  context: RecordContext,
  workspaceId: string,
  episode: string,
  at: number,
): Promise<RaisedAlertRow | null> {
  const update = tx.updateTable('alerts').set({ resolved_at: at }).where('workspace_id', '=', workspaceId);
  const open = update.where('episode', '=', episode).where('resolved_at', 'is', null);
  const row = await open.returningAll().executeTakeFirst();
  if (!row) return null;
  await queueDeliveries(tx, context, row, 'resolved');
  return row;
}

/** Returns the columns that an unread alert takes from a later alert of its episode. */
function newerColumns({ title, message, value, threshold, evidence, period_start, period_end }: RaisedAlertRow) {
  return { title, message, value, threshold, evidence, period_start, period_end };
}

/**
 * Queues a delivery for each webhook that receives alerts of this type. An end goes only where the beginning was
 * queued. Deliveries to a webhook that the service disabled wait until it is enabled again.
 */
async function queueDeliveries(
  tx: RecordTransaction,
  { clock, nextDeliveryId }: RecordContext,
  alert: RaisedAlertRow,
  kind: DeliveryKind,
): Promise<void> {
  const messageId = kind === 'resolved' ? `${alert.id}_resolved` : alert.id;
  const at = clock();
  const webhooks = await listReceivers(tx, alert, kind);
  const rows = webhooks.map((webhookId) =>
    newDelivery({
      id: nextDeliveryId(),
      workspaceId: alert.workspace_id,
      webhookId,
      messageId,
      kind,
      alertId: alert.id,
      content: null,
      at,
    }),
  );
  for (let from = 0; from < rows.length; from += QUEUED_AT_ONCE_MAX) {
    const some = rows.slice(from, from + QUEUED_AT_ONCE_MAX);
    await tx
      .insertInto('deliveries')
      .values(some)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

async function listReceivers(tx: RecordTransaction, alert: RaisedAlertRow, kind: DeliveryKind): Promise<string[]> {
  const query = tx
    .selectFrom('webhooks')
    .select(['id', 'type', 'events'])
    .where('workspace_id', '=', alert.workspace_id);
  const live = query.where((or) => or.or([or('enabled', '=', 1), or('disable_reason', 'is not', null)]));
  // A webhook gets no alerts about itself.
  const others = live.where('id', '!=', (JSON.parse(alert.scope) as Alert['scope'])['webhook'] ?? '');
  const wanted = (await others.orderBy('id').execute()).filter(({ events }) =>
    (JSON.parse(events) as AlertType[]).some((type) => type === alert.type),
  );
  if (kind !== 'resolved') return wanted.map(({ id }) => id);
  const ends = wanted.filter(({ type }) => WEBHOOK_KINDS[parseWebhookType(type)].sendsEnd).map(({ id }) => id);
  if (ends.length === 0) return [];
  const begun = tx.selectFrom('deliveries').select('webhook_id').distinct().where('webhook_id', 'in', ends);
  const deliveries = await begun.where('message_id', '=', alert.id).orderBy('webhook_id').execute();
  return deliveries.map(({ webhook_id }) => webhook_id);
}

async function dropOldestAlerts(tx: RecordTransaction, workspaceId: string): Promise<void> {
  if (!(await hasMore(tx, workspaceId, ALERTS_PER_WORKSPACE_MAX))) return;
  await tx
    .deleteFrom('alerts')
    .where('id', 'in', selectBeyond(tx, workspaceId, ALERTS_PER_WORKSPACE_MAX))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deliveries')
            .select('deliveries.id')
            .whereRef('alert_id', '=', 'alerts.id')
            .where('state', '=', 'waiting'),
        ),
      ),
    )
    .execute();
  if (!(await hasMore(tx, workspaceId, UNSENT_ALERTS_PER_WORKSPACE_MAX))) return;
  await tx
    .deleteFrom('alerts')
    .where('id', 'in', selectBeyond(tx, workspaceId, UNSENT_ALERTS_PER_WORKSPACE_MAX))
    .execute();
}

/** Reads the index only, because every new alert asks this. */
async function hasMore(tx: RecordTransaction, workspaceId: string, max: number): Promise<boolean> {
  const times = tx.selectFrom('alerts').select('created_at').where('workspace_id', '=', workspaceId);
  return (await times.orderBy('created_at', 'desc').limit(1).offset(max).executeTakeFirst()) !== undefined;
}

function selectBeyond(tx: RecordTransaction, workspaceId: string, max: number) {
  const ids = tx.selectFrom('alerts').select('id').where('workspace_id', '=', workspaceId);
  return ids.orderBy('created_at', 'desc').limit(ALERTS_DROPPED_AT_ONCE_MAX).offset(max);
}

type AlertRow = RecordTables['alerts'];

function toAlertRow(id: string, alert: Alert): AlertRow {
  return {
    id,
    workspace_id: alert.workspaceId,
    episode: alert.episode,
    type: alert.type,
    severity: alert.severity,
    title: alert.title,
    message: alert.message,
    scope: JSON.stringify(alert.scope),
    value: alert.value,
    threshold: alert.threshold,
    evidence: JSON.stringify(alert.evidence),
    created_at: alert.createdAt,
    read_at: null,
    period_start: alert.period?.start ?? null,
    period_end: finiteEnd(alert.period),
    resolved_at: null,
  };
}

export function fromAlertRow(row: AlertRow): StoredAlert {
  return {
    id: row.id,
    type: storedWord(ALERT_TYPES, row.type),
    severity: storedWord(SEVERITIES, row.severity),
    workspaceId: row.workspace_id,
    title: row.title,
    message: row.message,
    episode: row.episode,
    createdAt: row.created_at,
    scope: JSON.parse(row.scope) as Alert['scope'],
    value: row.value,
    threshold: row.threshold,
    period: row.period_start === null ? null : { start: row.period_start, end: row.period_end ?? Infinity },
    evidence: JSON.parse(row.evidence) as Alert['evidence'],
    readAt: row.read_at,
    resolvedAt: row.resolved_at,
  };
}

/** Returns null for a period without an end. */
function finiteEnd(period: Alert['period']): number | null {
  return period !== null && Number.isFinite(period.end) ? period.end : null;
}

export function alertRecords(context: RecordContext): AlertRecords {
  const { db, clock } = context;
  return {
    raise: (alert) =>
      db.transaction().execute(async (tx) => {
        const row = await raiseAlert(tx, context, alert);
        return row && fromAlertRow(row);
      }),
    resolve: (workspaceId, episode, at) =>
      db.transaction().execute(async (tx) => {
        const row = await resolveAlert(tx, context, workspaceId, episode, at);
        return row && fromAlertRow(row);
      }),
    markRead: (workspaceId, id, actor) =>
      audited(context, actor, async (tx, note) => {
        const row = await loadAlertRow(tx, workspaceId, id);
        if (row.read_at !== null) return fromAlertRow(row);
        const read = { ...row, read_at: clock() };
        await tx.updateTable('alerts').set({ read_at: read.read_at }).where('id', '=', id).execute();
        await note({ workspaceId, action: 'alert.read', subject: id, before: null, after: { type: row.type } });
        return fromAlertRow(read);
      }),
    async open(workspaceId, types) {
      const query = db.selectFrom('alerts').selectAll().where('workspace_id', '=', workspaceId);
      const open = query.where('resolved_at', 'is', null).where('type', 'in', types);
      return (await open.orderBy('created_at').orderBy('id').execute()).map(fromAlertRow);
    },
    get: async (workspaceId, id) => fromAlertRow(await loadAlertRow(db, workspaceId, id)),
    async unread(type) {
      const query = db.selectFrom('alerts').selectAll().where('type', '=', type).where('read_at', 'is', null);
      return (await query.orderBy('created_at').orderBy('id').execute()).map(fromAlertRow);
    },
    async list(workspaceId, { limit, unreadOnly, before = null, types, severity }) {
      let query = db.selectFrom('alerts').selectAll().where('workspace_id', '=', workspaceId);
      if (unreadOnly) query = query.where('read_at', 'is', null);
      if (types) query = query.where('type', 'in', types);
      if (severity) query = query.where('severity', '=', severity);
      if (before !== null) {
        const { created_at, id } = await loadAlertRow(db, workspaceId, before);
        query = query.where((or) => or(or.refTuple('created_at', 'id'), '<', or.tuple(created_at, id)));
      }
      return (await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()).map(fromAlertRow);
    },
    async countUnread(workspaceId, max) {
      const query = db.selectFrom('alerts').select('id').where('workspace_id', '=', workspaceId);
      return (await query.where('read_at', 'is', null).limit(max).execute()).length;
    },
  };
}

async function loadAlertRow(db: RecordDb, workspaceId: string, id: string): Promise<RecordTables['alerts']> {
  const query = db.selectFrom('alerts').selectAll().where('workspace_id', '=', workspaceId).where('id', '=', id);
  const row = await query.executeTakeFirst();
  if (!row) throw notFound('alert', id);
  return row;
}
