import { TollbookError } from '../../core/errors.ts';
import { audited } from './audit.ts';
import { type Context, notFound } from './context.ts';
import type { Attempt, Claim, Delivery, DeliveryQuery, DeliveryRecords, NewMessage } from './delivery-records.ts';
import { fromAttemptRow, fromDeliveryRow, newDelivery, toAttemptRow } from './delivery-rows.ts';
import { recordAttempt } from './record-attempt.ts';
import type { Db, Tables, Tx } from './tables.ts';

/** Of one request. */
const REPLAYED_MAX = 1_000;

export function deliveryRecords(context: Context): DeliveryRecords {
  const { db, clock, nextDeliveryId: nextId } = context;
  return {
    claim: (runner, now, until, limit) => claim(db, runner, now, until, limit),
    next: (webhookId, now) => nextOf(db, webhookId, now),
    record: (runner, delivery, attempt, outcome, until) =>
      db.transaction().execute((tx) => recordAttempt(tx, context, { runner, delivery, attempt, outcome, until })),
    async renew(runner, until) {
      await db.updateTable('webhooks').set({ claimed_until: until }).where('claimed_by', '=', runner).execute();
    },
    async freeAll() {
      await db.updateTable('webhooks').set({ claimed_by: null, claimed_until: 0 }).execute();
    },
    async release(runner, webhookId) {
      const update = db.updateTable('webhooks').set({ claimed_by: null, claimed_until: 0 });
      await update.where('id', '=', webhookId).where('claimed_by', '=', runner).execute();
    },
    queue: (message) => queue(db, nextId(), message, clock()),
    keep: (message, attempt) => db.transaction().execute((tx) => keep(tx, nextId(), message, attempt)),
    async list(workspaceId, webhookId, query) {
      return (await pageOf(db, workspaceId, webhookId, query)).map(fromDeliveryRow);
    },
    get: async (workspaceId, webhookId, id) => fromDeliveryRow(await rowOf(db, workspaceId, webhookId, id)),
    attempts: (ids) => attemptsOf(db, ids),
    replay: (workspaceId, webhookId, id, actor) =>
      audited(context, actor, async (tx, note) => {
        const row = await rowOf(tx, workspaceId, webhookId, id);
        const again = await replayed(tx, row, nextId(), clock());
        await note({
          workspaceId,
          action: 'delivery.replay',
          subject: webhookId,
          before: null,
          after: { delivery: id },
        });
        return fromDeliveryRow(again);
      }),
    replayPeriod: (workspaceId, webhookId, { start, end }, all, actor) =>
      audited(context, actor, async (tx, note) => {
        const rows = await latestOf(tx, workspaceId, webhookId, start, end, all);
        if (rows.length > REPLAYED_MAX)
          throw new TollbookError(
            'impossible',
            `More than ${REPLAYED_MAX} deliveries would be sent again at once; choose a shorter period.`,
            'start',
          );
        for (const row of rows) await replayed(tx, row, nextId(), clock());
        const after = { start, end, all, deliveries: rows.length };
        await note({ workspaceId, action: 'delivery.replay', subject: webhookId, before: null, after });
        return rows.length;
      }),
    async expire(before) {
      const disabled = db.selectFrom('webhooks').select('id').where('enabled', '=', 0);
      const old = db.updateTable('deliveries').set({ state: 'given_up', ended_at: clock() });
      const waiting = old.where('state', '=', 'waiting').where('created_at', '<', before);
      const { numUpdatedRows } = await waiting.where('webhook_id', 'in', disabled).executeTakeFirstOrThrow();
      return Number(numUpdatedRows);
    },
    async waiting() {
      const query = db.selectFrom('deliveries').select((select) => select.fn.countAll<number>().as('count'));
      return (await query.where('state', '=', 'waiting').executeTakeFirstOrThrow()).count;
    },
    prune: (before, limit) => db.transaction().execute((tx) => prune(tx, before, limit)),
  };
}

type Row = Tables['deliveries'];

/** One statement, so that of several runners only one gets a webhook. */
async function claim(db: Db, runner: string, now: number, until: number, limit: number): Promise<Claim[]> {
  const due = db
    .selectFrom('webhooks as w')
    .select('w.id')
    .where('w.enabled', '=', 1)
    .where('w.next_at', '<=', now)
    .where('w.claimed_until', '<=', now)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('deliveries as d')
          .select('d.id')
          .whereRef('d.webhook_id', '=', 'w.id')
          .where('d.state', '=', 'waiting')
          .where('d.next_at', '<=', now),
      ),
    )
    .orderBy('w.next_at')
    .limit(limit);
  const rows = await db
    .updateTable('webhooks')
    .set({ claimed_by: runner, claimed_until: until })
    .where('id', 'in', due)
    .where('claimed_until', '<=', now)
    .returning(['id', 'workspace_id', 'failures', 'failing_since'])
    .execute();
  return rows.map(({ id, workspace_id, failures, failing_since }) => ({
    webhookId: id,
    workspaceId: workspace_id,
    failures,
    failingSince: failing_since,
  }));
}

async function nextOf(db: Db, webhookId: string, now: number): Promise<Delivery | null> {
  const query = db.selectFrom('deliveries').selectAll().where('webhook_id', '=', webhookId);
  const due = query.where('state', '=', 'waiting').where('next_at', '<=', now);
  const row = await due.orderBy('created_at').orderBy('id').limit(1).executeTakeFirst();
  return row ? fromDeliveryRow(row) : null;
}

async function queue(db: Db, id: string, message: NewMessage, at: number): Promise<Delivery | null> {
  const { workspaceId, webhookId, messageId, kind, content } = message;
  const row = newDelivery({ id, workspaceId, webhookId, messageId, kind, alertId: null, content, at });
  const insert = db
    .insertInto('deliveries')
    .values(row)
    .onConflict((conflict) => conflict.doNothing());
  return (await insert.returning('id').executeTakeFirst()) ? fromDeliveryRow(row) : null;
}

async function keep(tx: Tx, id: string, message: NewMessage, attempt: Attempt): Promise<Delivery> {
  const state = attempt.error === null ? 'delivered' : 'given_up';
  const row = {
    ...newDelivery({ id, ...message, alertId: null, at: attempt.at }),
    state,
    attempts: 1,
    ended_at: attempt.at,
  };
  await tx.insertInto('deliveries').values(row).execute();
  await tx
    .insertInto('attempts')
    .values(toAttemptRow(id, 1, attempt))
    .execute();
  return fromDeliveryRow(row);
}

function pageOf(db: Db, workspaceId: string, webhookId: string, { limit, before }: DeliveryQuery): Promise<Row[]> {
  let query = db.selectFrom('deliveries').selectAll().where('workspace_id', '=', workspaceId);
  query = query.where('webhook_id', '=', webhookId);
  if (before !== null)
    query = query.where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('created_at', 'id'),
        '<',
        selectFrom('deliveries').select(['created_at', 'id']).where('id', '=', before).$asTuple('created_at', 'id'),
      ),
    );
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

async function rowOf(db: Db, workspaceId: string, webhookId: string, id: string): Promise<Row> {
  const query = db.selectFrom('deliveries').selectAll().where('workspace_id', '=', workspaceId);
  const row = await query.where('webhook_id', '=', webhookId).where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('delivery', id);
  return row;
}

async function attemptsOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, readonly Attempt[]>> {
  const rows = await db.selectFrom('attempts').selectAll().where('delivery_id', 'in', ids).orderBy('number').execute();
  return new Map(ids.map((id) => [id, rows.filter((row) => row.delivery_id === id).map(fromAttemptRow)]));
}

/** The next round of a message. One that waits is not queued beside itself. */
async function replayed(tx: Tx, row: Row, id: string, at: number): Promise<Row> {
  const same = tx.selectFrom('deliveries').where('webhook_id', '=', row.webhook_id);
  const rounds = await same
    .where('message_id', '=', row.message_id)
    .selectAll()
    .orderBy('round', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  if (rounds.state === 'waiting') return rounds;
  const again = { ...row, id, round: rounds.round + 1, state: 'waiting', attempts: 0, next_at: at, created_at: at };
  await tx
    .insertInto('deliveries')
    .values({ ...again, ended_at: null })
    .execute();
  return { ...again, ended_at: null };
}

/** The last round of each message of a period; tests are not sent again with the rest. */
function latestOf(
  tx: Tx,
  workspaceId: string,
  webhookId: string,
  start: number,
  end: number,
  all: boolean,
): Promise<Row[]> {
  let query = tx.selectFrom('deliveries as d').selectAll().where('workspace_id', '=', workspaceId);
  query = query.where('webhook_id', '=', webhookId).where('kind', '!=', 'test');
  query = query.where('created_at', '>=', start).where('created_at', '<', end);
  query = query.where('state', 'in', all ? ['delivered', 'given_up'] : ['given_up']);
  query = query.where(({ not, exists, selectFrom }) =>
    not(
      exists(
        selectFrom('deliveries as later')
          .select('later.id')
          .whereRef('later.webhook_id', '=', 'd.webhook_id')
          .whereRef('later.message_id', '=', 'd.message_id')
          .whereRef('later.round', '>', 'd.round'),
      ),
    ),
  );
  return query
    .orderBy('created_at')
    .orderBy('id')
    .limit(REPLAYED_MAX + 1)
    .execute();
}

async function prune(tx: Tx, before: number, limit: number): Promise<number> {
  const old = tx.selectFrom('deliveries').select('id').where('state', '!=', 'waiting').where('ended_at', '<', before);
  const ids = (await old.limit(limit).execute()).map(({ id }) => id);
  if (ids.length === 0) return 0;
  await tx.deleteFrom('attempts').where('delivery_id', 'in', ids).execute();
  await tx.deleteFrom('deliveries').where('id', 'in', ids).execute();
  return ids.length;
}
