import { ALERT_TYPES, type Alert, SEVERITIES } from '../../core/alert.ts';
import { newId } from '../../lib/id.ts';
import { audited } from './audit.ts';
import { type Context, notFound } from './context.ts';
import type { AlertRecords, StoredAlert } from './records.ts';
import type { Tables, Tx } from './tables.ts';

/** The oldest make room. */
const ALERTS_PER_WORKSPACE_MAX = 10_000;
const ALERTS_DROPPED_AT_ONCE_MAX = 100;

export function alertRecords(context: Context): AlertRecords {
  const { db, clock } = context;
  return {
    raise: (alert) =>
      db.transaction().execute(async (tx) => {
        const row = toRow(newId('al', clock), alert);
        const insert = tx.insertInto('alerts').values(row);
        const kept = await insert
          .onConflict((conflict) =>
            conflict.columns(['workspace_id', 'episode']).doUpdateSet(newer(row)).where('alerts.read_at', 'is', null),
          )
          .returning('id')
          .executeTakeFirst();
        if (kept?.id !== row.id) return null;
        await dropOldest(tx, alert.workspaceId);
        return fromRow(row);
      }),
    markRead: (workspaceId, id, actor) =>
      audited(context, actor, async (tx, note) => {
        const query = tx.selectFrom('alerts').selectAll().where('workspace_id', '=', workspaceId).where('id', '=', id);
        const row = await query.executeTakeFirst();
        if (!row) throw notFound('alert', id);
        if (row.read_at !== null) return fromRow(row);
        const read = { ...row, read_at: clock() };
        await tx.updateTable('alerts').set({ read_at: read.read_at }).where('id', '=', id).execute();
        await note({ workspaceId, action: 'alert.read', subject: id, before: null, after: { type: row.type } });
        return fromRow(read);
      }),
    async resolve(workspaceId, episode, at) {
      const update = db.updateTable('alerts').set({ resolved_at: at }).where('workspace_id', '=', workspaceId);
      const open = update.where('episode', '=', episode).where('resolved_at', 'is', null);
      const row = await open.returningAll().executeTakeFirst();
      return row ? fromRow(row) : null;
    },
    async open(workspaceId, types) {
      const query = db.selectFrom('alerts').selectAll().where('workspace_id', '=', workspaceId);
      const open = query.where('resolved_at', 'is', null).where('type', 'in', types);
      return (await open.orderBy('created_at').orderBy('id').execute()).map(fromRow);
    },
    async get(workspaceId, id) {
      const query = db.selectFrom('alerts').selectAll().where('workspace_id', '=', workspaceId).where('id', '=', id);
      const row = await query.executeTakeFirst();
      if (!row) throw notFound('alert', id);
      return fromRow(row);
    },
    async unread(type) {
      const query = db.selectFrom('alerts').selectAll().where('type', '=', type).where('read_at', 'is', null);
      return (await query.orderBy('created_at').orderBy('id').execute()).map(fromRow);
    },
    async list(workspaceId, { limit, unreadOnly }) {
      let query = db.selectFrom('alerts').selectAll().where('workspace_id', '=', workspaceId);
      if (unreadOnly) query = query.where('read_at', 'is', null);
      return (await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()).map(fromRow);
    },
  };
}

async function dropOldest(tx: Tx, workspaceId: string): Promise<void> {
  const beyond = tx
    .selectFrom('alerts')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(ALERTS_DROPPED_AT_ONCE_MAX)
    .offset(ALERTS_PER_WORKSPACE_MAX);
  await tx.deleteFrom('alerts').where('id', 'in', beyond).execute();
}

type Row = Tables['alerts'];

/** What an alert that nobody has read takes from a later one of its episode. */
function newer({ title, message, value, threshold, evidence, period_start, period_end }: Row) {
  return { title, message, value, threshold, evidence, period_start, period_end };
}

function toRow(id: string, alert: Alert): Row {
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
    period_end: endOf(alert.period),
    resolved_at: null,
  };
}

function fromRow(row: Row): StoredAlert {
  return {
    id: row.id,
    type: known(ALERT_TYPES, row.type),
    severity: known(SEVERITIES, row.severity),
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

/** A period without an end has none in its column. */
function endOf(period: Alert['period']): number | null {
  return period !== null && Number.isFinite(period.end) ? period.end : null;
}

function known<T extends string>(words: readonly T[], text: string): T {
  const word = words.find((one) => one === text);
  if (word === undefined) throw new Error(`The stored word "${text}" is none of ${words.join(', ')}`);
  return word;
}
