import type { AlertRecords } from './records.ts';
import { fromAlertRow } from './alert-rows.ts';
import { audited } from './audit.ts';
import { type RecordContext, notFound } from './context.ts';
import { raiseAlert, resolveAlert } from './raise-alert.ts';
import type { RecordDb, RecordTables } from './tables.ts';

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
