import { type ExpressionBuilder, sql } from 'kysely';
import { TollbookError } from '../../domain/errors.ts';
import { audited } from './audit.ts';
import { notFound, type RecordContext } from './context.ts';
import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryOutcome,
  type DeliveryQuery,
  type DeliveryRecords,
  fromAttemptRow,
  fromDeliveryRow,
  newDelivery,
  type NewMessage,
  toAttemptRow,
  type WebhookClaim,
} from './delivery-records.ts';
import { nodeRunners } from './runner.ts';
import type { RecordDb, RecordTables, RecordTransaction } from './tables.ts';
import { disableWebhook } from './webhooks.ts';
import { HOUR_MS } from '../../domain/time/units.ts';

interface AttemptRecord {
  readonly runner: string;
  readonly delivery: Delivery;
  readonly attempt: DeliveryAttempt;
  readonly outcome: DeliveryOutcome;
  /** Time until which the runner keeps its claim on the webhook. */
  readonly until: number;
}

/**
 * Saves an attempt, the state of its delivery and the health of its webhook in one transaction; false = another
 * runner holds the webhook.
 */
async function recordAttempt(tx: RecordTransaction, context: RecordContext, recorded: AttemptRecord): Promise<boolean> {
  const { runner, delivery, attempt, outcome, until } = recorded;
  const found = tx.selectFrom('webhooks').selectAll().where('id', '=', delivery.webhookId);
  const webhook = await found.where('claimed_by', '=', runner).executeTakeFirst();
  if (!webhook) return false;
  const number = delivery.attempts + 1;
  await tx
    .updateTable('deliveries')
    .set({
      state: outcome.state,
      attempts: number,
      next_at: outcome.nextAt,
      ended_at: outcome.state === 'waiting' ? null : attempt.at,
    })
    .where('id', '=', delivery.id)
    .execute();
  await tx
    .insertInto('delivery_attempts')
    .values(toAttemptRow(delivery.id, number, attempt))
    .execute();
  const health = webhookHealth(webhook, outcome, attempt.at);
  await tx
    .updateTable('webhooks')
    .set({ ...health, claimed_until: until })
    .where('id', '=', webhook.id)
    .execute();
  // Not if a user disabled it meanwhile.
  if (outcome.disable !== null && webhook.enabled === 1)
    await disableWebhook(tx, context, webhook, outcome.disable, attempt.at);
  return true;
}

function webhookHealth(webhook: RecordTables['webhooks'], { queue }: DeliveryOutcome, at: number) {
  if (queue === null) return { failures: 0, failing_since: null, next_at: 0 };
  const { failures, failing_since } = webhook;
  return { failures: failures + 1, failing_since: failing_since ?? at, next_at: queue.nextAt };
}

/** Deliveries that one request may replay. */
const REPLAYED_MAX = 1_000;
/** Longest wait. A time further ahead was written while the clock was wrong, and is ignored. */
const WAIT_MS_MAX = 12 * HOUR_MS;
/** Ended deliveries to keep, since tests and replays may create any number. */
const ENDED_PER_WEBHOOK_MAX = 10_000;
const EXPIRED = 'It waited for three days while the webhook was disabled.';

export function deliveryRecords(context: RecordContext): DeliveryRecords {
  const { db, clock, nextDeliveryId: nextId } = context;
  return {
    claim: (runner, now, until, limit) => claimWebhooks(db, runner, now, until, limit),
    next: (webhookId, now) => nextDelivery(db, webhookId, now),
    record: (runner, delivery, attempt, outcome, until) =>
      db.transaction().execute((tx) => recordAttempt(tx, context, { runner, delivery, attempt, outcome, until })),
    async renew(runner, until) {
      await db.updateTable('webhooks').set({ claimed_until: until }).where('claimed_by', '=', runner).execute();
    },
    async free(nodeId) {
      const freed = db.updateTable('webhooks').set({ claimed_by: null, claimed_until: 0 });
      if (nodeId === null) return void (await freed.execute());
      const { first, end } = nodeRunners(nodeId);
      await freed.where('claimed_by', '>=', first).where('claimed_by', '<', end).execute();
    },
    async release(runner, webhookId) {
      // The time stays, so that who had its turn last is the last to have the next one.
      const update = db.updateTable('webhooks').set({ claimed_by: null, claimed_until: clock() });
      await update.where('id', '=', webhookId).where('claimed_by', '=', runner).execute();
    },
    queue: (message) => queueMessage(db, nextId(), message, clock()),
    keep: (message, attempt) => db.transaction().execute((tx) => insertSentMessage(tx, nextId(), message, attempt)),
    async list(workspaceId, webhookId, query) {
      return (await pageDeliveryRows(db, workspaceId, webhookId, query)).map(fromDeliveryRow);
    },
    get: async (workspaceId, webhookId, id) => fromDeliveryRow(await loadDeliveryRow(db, workspaceId, webhookId, id)),
    attempts: (ids) => listAttempts(db, ids),
    replay: (workspaceId, webhookId, id, actor) =>
      audited(context, actor, async (tx, note) => {
        const row = await loadDeliveryRow(tx, workspaceId, webhookId, id);
        const again = await replayDelivery(tx, row, nextId(), clock());
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
        const rows = await listLatestRounds(tx, workspaceId, webhookId, start, end, all);
        if (rows.length > REPLAYED_MAX)
          throw new TollbookError(
            'unprocessable',
            `More than ${REPLAYED_MAX} deliveries would be sent again. Choose a shorter period.`,
            'start',
          );
        for (const row of rows) await replayDelivery(tx, row, nextId(), clock());
        const after = { start, end, all, deliveries: rows.length };
        await note({ workspaceId, action: 'delivery.replay', subject: webhookId, before: null, after });
        return rows.length;
      }),
    expire: (before) => db.transaction().execute((tx) => expireDeliveries(tx, before, clock())),
    async waiting() {
      const query = db.selectFrom('deliveries').select((select) => select.fn.countAll<number>().as('count'));
      return (await query.where('state', '=', 'waiting').executeTakeFirstOrThrow()).count;
    },
    prune: (before, limit) => db.transaction().execute((tx) => pruneDeliveries(tx, before, limit)),
  };
}

type DeliveryTableRow = RecordTables['deliveries'];

/** Claims webhooks in one statement, so that only one of several runners gets each. */
async function claimWebhooks(
  db: RecordDb,
  runner: string,
  now: number,
  until: number,
  limit: number,
): Promise<WebhookClaim[]> {
  const due = db
    .selectFrom('webhooks as w')
    .select('w.id')
    .where('w.enabled', '=', 1)
    .where((or) => or.or([or('w.next_at', '<=', now), or('w.next_at', '>', now + WAIT_MS_MAX)]))
    .where(isClaimable(now, until))
    // As EXISTS it is made a join, which goes through all that waits.
    .where((eb) =>
      eb(
        selectDueDeliveries(db, now).select('d.id').where('d.webhook_id', '=', sql.ref<string>('w.id')).limit(1),
        'is not',
        null,
      ),
    )
    .orderBy('w.claimed_until')
    .limit(limit);
  const rows = await db
    .updateTable('webhooks as w')
    .set({ claimed_by: runner, claimed_until: until })
    .where('w.id', 'in', due)
    .where(isClaimable(now, until))
    .returning(['id', 'failures', 'failing_since'])
    .execute();
  return rows.map(({ id, failures, failing_since }) => ({ webhookId: id, failures, failingSince: failing_since }));
}

/** Matches webhooks without a valid claim. A claim too far in the future was made while the clock was wrong. */
function isClaimable(now: number, until: number) {
  const wrong = until + (until - now);
  return (or: ExpressionBuilder<{ w: RecordTables['webhooks'] }, 'w'>) =>
    or.or([or('w.claimed_by', 'is', null), or('w.claimed_until', '<=', now), or('w.claimed_until', '>', wrong)]);
}

/** Selects deliveries that may be sent now. The end of an alert waits for its beginning. */
function selectDueDeliveries(db: RecordDb, now: number) {
  return db
    .selectFrom('deliveries as d')
    .where('d.state', '=', 'waiting')
    .where((or) => or.or([or('d.next_at', '<=', now), or('d.next_at', '>', now + WAIT_MS_MAX)]))
    .where(({ or, eb, not, exists, selectFrom }) =>
      or([
        eb('d.kind', '!=', 'resolved'),
        not(
          exists(
            selectFrom('deliveries as begin')
              .select('begin.id')
              .whereRef('begin.alert_id', '=', 'd.alert_id')
              .whereRef('begin.webhook_id', '=', 'd.webhook_id')
              .where('begin.kind', '=', 'alert')
              .where('begin.state', '=', 'waiting'),
          ),
        ),
      ]),
    );
}

async function nextDelivery(db: RecordDb, webhookId: string, now: number): Promise<Delivery | null> {
  const due = selectDueDeliveries(db, now).selectAll('d').where('d.webhook_id', '=', webhookId);
  const row = await due.orderBy('d.created_at').orderBy('d.id').limit(1).executeTakeFirst();
  return row ? fromDeliveryRow(row) : null;
}

async function queueMessage(db: RecordDb, id: string, message: NewMessage, at: number): Promise<Delivery | null> {
  const { workspaceId, webhookId, messageId, kind, content } = message;
  const row = newDelivery({ id, workspaceId, webhookId, messageId, kind, alertId: null, content, at });
  const insert = db
    .insertInto('deliveries')
    .values(row)
    .onConflict((conflict) => conflict.doNothing());
  return (await insert.returning('id').executeTakeFirst()) ? fromDeliveryRow(row) : null;
}

async function insertSentMessage(
  tx: RecordTransaction,
  id: string,
  message: NewMessage,
  attempt: DeliveryAttempt,
): Promise<Delivery> {
  const state = attempt.error === null ? 'delivered' : 'failed';
  const row = {
    ...newDelivery({ id, ...message, alertId: null, at: attempt.at }),
    state,
    attempts: 1,
    ended_at: attempt.at,
  };
  await tx.insertInto('deliveries').values(row).execute();
  await tx
    .insertInto('delivery_attempts')
    .values(toAttemptRow(id, 1, attempt))
    .execute();
  return fromDeliveryRow(row);
}

async function pageDeliveryRows(
  db: RecordDb,
  workspaceId: string,
  webhookId: string,
  { limit, before }: DeliveryQuery,
): Promise<DeliveryTableRow[]> {
  let query = db.selectFrom('deliveries').selectAll().where('workspace_id', '=', workspaceId);
  query = query.where('webhook_id', '=', webhookId);
  if (before !== null) {
    const { created_at, id } = await loadDeliveryRow(db, workspaceId, webhookId, before);
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '<', tuple(created_at, id)));
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

async function loadDeliveryRow(
  db: RecordDb,
  workspaceId: string,
  webhookId: string,
  id: string,
): Promise<DeliveryTableRow> {
  const query = db.selectFrom('deliveries').selectAll().where('workspace_id', '=', workspaceId);
  const row = await query.where('webhook_id', '=', webhookId).where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('delivery', id);
  return row;
}

async function listAttempts(
  db: RecordDb,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly DeliveryAttempt[]>> {
  const rows = await db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('delivery_id', 'in', ids)
    .orderBy('number')
    .execute();
  return new Map(ids.map((id) => [id, rows.filter((row) => row.delivery_id === id).map(fromAttemptRow)]));
}

/** Queues the next round of a message. A round that still waits is not queued twice. */
async function replayDelivery(
  tx: RecordTransaction,
  row: DeliveryTableRow,
  id: string,
  at: number,
): Promise<DeliveryTableRow> {
  const same = tx.selectFrom('deliveries').where('webhook_id', '=', row.webhook_id);
  const rounds = await same
    .where('message_id', '=', row.message_id)
    .selectAll()
    .orderBy('round', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  if (rounds.state === 'waiting') return rounds;
  const again = { ...row, id, round: rounds.round + 1, state: 'waiting', attempts: 0, next_at: 0, created_at: at };
  await tx
    .insertInto('deliveries')
    .values({ ...again, ended_at: null })
    .execute();
  return { ...again, ended_at: null };
}

/** Lists the last round of each message in a period, without tests. */
function listLatestRounds(
  tx: RecordTransaction,
  workspaceId: string,
  webhookId: string,
  start: number,
  end: number,
  all: boolean,
): Promise<DeliveryTableRow[]> {
  let query = tx.selectFrom('deliveries as d').selectAll().where('workspace_id', '=', workspaceId);
  query = query.where('webhook_id', '=', webhookId).where('kind', '!=', 'test');
  query = query.where('created_at', '>=', start).where('created_at', '<', end);
  query = query.where('state', 'in', all ? ['delivered', 'failed'] : ['failed']);
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

/** Gives up old deliveries of disabled webhooks, each with a last attempt that says why. */
async function expireDeliveries(tx: RecordTransaction, before: number, at: number): Promise<number> {
  const disabled = tx.selectFrom('webhooks').select('id').where('enabled', '=', 0);
  const old = tx.selectFrom('deliveries').where('state', '=', 'waiting').where('created_at', '<', before);
  const why = old
    .where('webhook_id', 'in', disabled)
    .select(({ eb, val }) => [
      'id',
      eb('attempts', '+', 1).as('number'),
      val(at).as('at'),
      val(0).as('ms'),
      val(EXPIRED).as('error'),
      val('{}').as('request'),
    ]);
  await tx
    .insertInto('delivery_attempts')
    .columns(['delivery_id', 'number', 'at', 'ms', 'error', 'request'])
    .expression(why)
    .execute();
  const { numUpdatedRows } = await tx
    .updateTable('deliveries')
    .set((eb) => ({ state: 'failed', attempts: eb('attempts', '+', 1), ended_at: at }))
    .where('state', '=', 'waiting')
    .where('created_at', '<', before)
    .where('webhook_id', 'in', disabled)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

async function pruneDeliveries(tx: RecordTransaction, before: number, limit: number): Promise<number> {
  const old = tx.selectFrom('deliveries').select('id').where('state', '!=', 'waiting').where('ended_at', '<', before);
  const ids = (await old.limit(limit).execute()).map(({ id }) => id);
  for (const webhook of await tx.selectFrom('webhooks').select('id').orderBy('id').execute())
    if (ids.length < limit) ids.push(...(await findSurplusDeliveries(tx, webhook.id, limit - ids.length)));
  if (ids.length === 0) return 0;
  await tx.deleteFrom('delivery_attempts').where('delivery_id', 'in', ids).execute();
  const { numDeletedRows } = await tx.deleteFrom('deliveries').where('id', 'in', ids).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function findSurplusDeliveries(tx: RecordTransaction, webhookId: string, limit: number): Promise<string[]> {
  const ended = tx.selectFrom('deliveries').select('id').where('state', 'in', ['delivered', 'failed']);
  const newestFirst = ended.where('webhook_id', '=', webhookId).orderBy('created_at', 'desc').orderBy('id', 'desc');
  return (await newestFirst.limit(limit).offset(ENDED_PER_WEBHOOK_MAX).execute()).map(({ id }) => id);
}
