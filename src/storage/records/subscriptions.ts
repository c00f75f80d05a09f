import { TollbookError } from '../../domain/errors.ts';
import { NANO_MAX } from '../../domain/money/money.ts';
import { parseName } from '../../domain/identity/name.ts';
import { PLAN_PROVIDERS, type PlanSubscription, SEATS_MAX } from '../../domain/sessions/subscription.ts';
import { parseDay } from '../../domain/time/period.ts';
import { newId } from '../../lib/crypto/id.ts';
import { type Actor, audited } from './audit.ts';
import { notFound, type RecordContext, requireRoom, requireWorkspace } from './context.ts';
import type { RecordDb, RecordTables, RecordTransaction } from './tables.ts';

const SUBSCRIPTIONS_PER_WORKSPACE_MAX = 1_000;
const TOKENS_MAX = 1_000;

export function subscriptionRecords(context: RecordContext): SubscriptionRecords {
  const { db, clock } = context;
  return {
    create: (input, actor) =>
      audited(context, actor, async (tx, note) => {
        const { workspaceId } = input;
        await requireWorkspace(tx, workspaceId);
        const { count } = await tx
          .selectFrom('subscriptions')
          .select((select) => select.fn.countAll<number>().as('count'))
          .where('workspace_id', '=', workspaceId)
          .executeTakeFirstOrThrow();
        requireRoom(count, SUBSCRIPTIONS_PER_WORKSPACE_MAX, 'subscriptions');
        const subscription = { ...checkSubscription(input), id: newId('sub', clock), createdAt: clock() };
        await requireTokens(tx, subscription);
        await tx.insertInto('subscriptions').values(toSubscriptionRow(subscription)).execute();
        const after = subscriptionFacts(subscription);
        await note({ workspaceId, action: 'subscription.create', subject: subscription.id, before: null, after });
        return subscription;
      }),
    list: async (workspaceId) => (await listSubscriptionRows(db, workspaceId)).map(toSubscription),
    end: (workspaceId, id, endedOn, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const row = (await listSubscriptionRows(tx, workspaceId)).find((one) => one.id === id);
        if (!row) throw notFound('subscription', id);
        const before = toSubscription(row);
        check?.(before);
        checkEnd(before.startedOn, endedOn);
        const after = { ...before, endedOn };
        await tx.updateTable('subscriptions').set({ ended_on: after.endedOn }).where('id', '=', id).execute();
        await note({
          workspaceId,
          action: 'subscription.end',
          subject: id,
          before: subscriptionFacts(before),
          after: subscriptionFacts(after),
        });
        return after;
      }),
  };
}

function checkSubscription<Input extends NewSubscription>(input: Input): Input {
  const { startedOn, endedOn, monthlyCost, seats } = input;
  if (!PLAN_PROVIDERS.includes(input.provider))
    throw invalidSubscription('provider', `must be ${PLAN_PROVIDERS.join(' or ')}`);
  if (!Number.isSafeInteger(monthlyCost) || monthlyCost < 0)
    throw invalidSubscription('monthlyCost', 'must be an amount of dollars');
  if (!Number.isSafeInteger(seats) || seats < 1 || seats > SEATS_MAX)
    throw invalidSubscription('seats', `must be a whole number from 1 to ${SEATS_MAX}`);
  if (monthlyCost * seats > NANO_MAX) throw invalidSubscription('monthlyCost', 'is more than a subscription can cost');
  if (input.tokenIds.length > TOKENS_MAX) throw invalidSubscription('tokens', `can have at most ${TOKENS_MAX} entries`);
  parseDay(startedOn, 'startedAt');
  checkEnd(startedOn, endedOn);
  return { ...input, name: parseName(input.name), plan: parseName(input.plan, 'plan') };
}

function checkEnd(startedOn: string, endedOn: string | null): void {
  if (endedOn !== null && parseDay(endedOn, 'endedAt') < startedOn)
    throw new TollbookError('unprocessable', `A subscription can't end before it begins (${startedOn}).`, 'endedAt');
}

function invalidSubscription(param: string, what: string): TollbookError {
  return new TollbookError('invalid', `${param} ${what}.`, param);
}

async function requireTokens(tx: RecordTransaction, { workspaceId, tokenIds }: NewSubscription): Promise<void> {
  for (const id of tokenIds) {
    const query = tx.selectFrom('access_tokens').select('id').where('workspace_id', '=', workspaceId);
    if (!(await query.where('id', '=', id).executeTakeFirst())) throw notFound('access token', id);
  }
}

type SubscriptionRow = RecordTables['subscriptions'];

function listSubscriptionRows(db: RecordDb, workspaceId: string): Promise<SubscriptionRow[]> {
  const query = db.selectFrom('subscriptions').selectAll().where('workspace_id', '=', workspaceId);
  return query.orderBy('started_on').orderBy('id').execute();
}

function subscriptionFacts(subscription: NewSubscription): Record<string, unknown> {
  const { name, provider, plan, monthlyCost, seats, startedOn, endedOn, tokenIds } = subscription;
  return { name, provider, plan, monthlyCost, seats, startedOn, endedOn, tokenIds };
}

function toSubscriptionRow(subscription: PlanSubscription): SubscriptionRow {
  return {
    id: subscription.id,
    workspace_id: subscription.workspaceId,
    name: subscription.name,
    provider: subscription.provider,
    plan: subscription.plan,
    monthly_cost: subscription.monthlyCost,
    seats: subscription.seats,
    started_on: subscription.startedOn,
    ended_on: subscription.endedOn,
    token_ids: JSON.stringify(subscription.tokenIds),
    created_at: subscription.createdAt,
  };
}

function toSubscription(row: SubscriptionRow): PlanSubscription {
  const provider = PLAN_PROVIDERS.find((name) => name === row.provider);
  if (!provider) throw new Error(`Stored subscription with unknown provider "${row.provider}".`);
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    provider,
    plan: row.plan,
    monthlyCost: row.monthly_cost,
    seats: row.seats,
    startedOn: row.started_on,
    endedOn: row.ended_on,
    tokenIds: JSON.parse(row.token_ids) as string[],
    createdAt: row.created_at,
  };
}

export type NewSubscription = Omit<PlanSubscription, 'id' | 'createdAt'>;

export interface SubscriptionRecords {
  create(input: NewSubscription, actor: Actor): Promise<PlanSubscription>;
  /** Returns all subscriptions, ordered by first day. */
  list(workspaceId: string): Promise<PlanSubscription[]>;
  /** Sets the last day; null = the subscription continues. `check` runs inside the transaction and may throw. */
  end(
    workspaceId: string,
    id: string,
    endedOn: string | null,
    actor: Actor,
    check?: (before: PlanSubscription) => void,
  ): Promise<PlanSubscription>;
}
