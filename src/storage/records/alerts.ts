import { ALERT_TYPES, type Alert, SEVERITIES } from '../../core/alert.ts';
import { newId } from '../../lib/id.ts';
import type { Context } from './context.ts';
import type { AlertRecords, StoredAlert } from './records.ts';
import type { Tables, Tx } from './tables.ts';

/** The oldest make room. */
const ALERTS_PER_WORKSPACE_MAX = 10_000;
const ALERTS_DROPPED_AT_ONCE_MAX = 100;

export function alertRecords({ db, clock }: Context): AlertRecords {
  return {
    raise: (alert) =>
      db.transaction().execute(async (tx) => {
        const row = toRow(newId('al', clock), alert);
        const insert = tx.insertInto('alerts').values(row);
        const done = await insert
          .onConflict((conflict) => conflict.columns(['workspace_id', 'episode']).doNothing())
          .executeTakeFirst();
        if (done.numInsertedOrUpdatedRows === 0n) return null;
        await dropOldest(tx, alert.workspaceId);
        return fromRow(row);
      }),
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
    evidence: JSON.parse(row.evidence) as Alert['evidence'],
    readAt: row.read_at,
  };
}

function known<T extends string>(words: readonly T[], text: string): T {
  const word = words.find((one) => one === text);
  if (word === undefined) throw new Error(`The stored word "${text}" is none of ${words.join(', ')}`);
  return word;
}
