import { emptySum, addTotals, type UsageTotals, type MutableTotals } from '../domain/usage/usage-totals.ts';
import { LIMITS } from '../config.ts';
import type { SessionDetail } from '../contract/sessions.ts';
import { TollbookError } from '../domain/errors.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { type Period, readPeriod, toIso } from '../domain/time/period.ts';
import { arrangeAgents } from '../domain/usage/arrange-agents.ts';
import type { Clock } from '../lib/clock.ts';
import type { SessionStore } from '../storage/session-store.ts';
import type { ContextPart, ContextUse, UsageQueries } from '../storage/usage-queries.ts';
import { hashSessionId } from './hash-session-id.ts';
import { endpoint } from './http/endpoint.ts';
import { type AssistantParts, type AssistantRow, readSessionRows } from './usage/assistant-rows.ts';
import { compareRetailCost, sessionFacts, sumAssistantRows } from './usage/assistant-sums.ts';
import { readFilter } from './usage/filter.ts';
import { uncertaintyFields, unpricedFields } from './usage/uncertainty.ts';

/** Sessions of calls: the session that a call's headers name. Synced assistant sessions are in `sync.ts`. */
export interface CallSessionServices {
  readonly clock: Clock;
  readonly reports: UsageQueries;
  readonly sessions: Pick<SessionStore, 'synced' | 'assistantUses'>;
  readonly records: AssistantParts['records'];
}

const BOUNDS = { entriesMax: LIMITS.reportEntriesMax, valuesMax: LIMITS.reportValuesMax };

interface SumWithTimes {
  readonly totals: MutableTotals;
  firstAt: number;
  lastAt: number;
}

export const listCallSessions = endpoint(
  'GET /api/mcp/sessions',
  async ({ caller, query }, { clock, reports }: CallSessionServices) => {
    const range = readPeriod(query.startDate, query.endDate, clock());
    const by = ['session', 'agent'] as const;
    const read = { range, by, filter: readFilter(query), ...BOUNDS };
    const { uses, from } = await reports.newestUses(caller.workspaceId, read);
    const sessions = [...Map.groupBy(uses, ({ session }) => session)].flatMap(([session, parts]) =>
      session === null
        ? []
        : [{ session, agents: parts.filter(({ agent }) => agent !== null).length, ...addUp(parts) }],
    );
    const order = query.sort === 'cost' ? costliestSessionFirst : newestUseFirst;
    return {
      period: { start: toIso(range.start), end: toIso(range.end) },
      from: toIso(from),
      isComplete: from === range.start,
      total: sessions.length,
      sessions: sessions
        .toSorted(order)
        .slice(0, query.limit)
        .map(({ session, agents, ...sum }) => Object.assign({ session, agents }, sumsView(sum.totals), timesView(sum))),
    };
  },
);

export const getCallSession = endpoint(
  'GET /api/mcp/session',
  async ({ caller: { workspaceId }, query }, services: CallSessionServices) => {
    const { clock, reports, records } = services;
    const isWhole = query.startDate === undefined && query.endDate === undefined;
    const range = isWhole ? EVER : readPeriod(query.startDate, query.endDate, clock());
    const session = await findSession(services, workspaceId, query.session);
    const read = (by: readonly ContextPart[]): Promise<ContextUse[]> =>
      reports.contextUses(workspaceId, { range, by, filter: { session }, ...BOUNDS });
    const uses = await read(['agent', 'parentAgent', 'model', 'requestClass', 'keyId']);
    const assistantSession = await findAssistantSession(services, workspaceId, session, range);
    const rows = await readSessionRows(services, workspaceId, assistantSession?.hash ?? session, range);
    const outside = describeOutside(rows);
    if (uses.length === 0 && outside === null) throw noSession(session);
    const { totals, ...times } = addUp(uses);
    const runs = (await read(['run'])).filter(({ run }) => run !== null).toSorted(newestUseFirst);
    const names = new Map((await records.keys.list(workspaceId)).map(({ id, name }) => [id, name]));
    const agents = uses.length === 0 ? [] : agentTree(uses);
    const shown = costliestAgents(agents, query.limit);
    return {
      session,
      ...(uses.length === 0 && outside
        ? { firstCallAt: outside.firstAt, lastCallAt: outside.lastAt }
        : timesView(times)),
      total: sumsView(totals),
      agents: shown.map(agentView),
      agentsLeftOut: agents.length - shown.length,
      models: sharesBy(uses, 'model'),
      runs: runs
        .slice(0, query.limit)
        .map((use) => Object.assign({ value: use.run ?? '' }, shareView(use.totals), timesView(use))),
      runsLeftOut: Math.max(0, runs.length - query.limit),
      keys: sharesBy(uses, 'keyId').map((share) =>
        Object.assign(share, { name: names.get(share.value) ?? share.value }),
      ),
      assistantSession,
      outside,
    };
  },
);

/** Finds a session by its name, by the id that an assistant has for it, or by the beginning of its name. */
async function findSession(
  { reports, sessions }: CallSessionServices,
  workspaceId: string,
  given: string,
): Promise<string> {
  const names = [given, ...hashSessionId(given)];
  for (const session of names) {
    const newest = { range: EVER, filter: { session }, cursor: null, limit: 1 };
    if ((await reports.entriesPage(workspaceId, newest)).rows.length > 0) return session;
  }
  for (const session of names) {
    const { uses } = await sessions.assistantUses(workspaceId, { range: EVER, session, valuesMax: 1 });
    if (uses.length > 0) return session;
  }
  const [found, another] = await reports.sessionsBeginning(workspaceId, given, 2);
  if (found === undefined) throw noSession(given);
  if (another === undefined) return found;
  throw new TollbookError(
    'not_found',
    `More than one session begins with "${given}", for example "${found}" and "${another}". Write more of the name.`,
    'session',
  );
}

function noSession(session: string): TollbookError {
  return new TollbookError(
    'not_found',
    `There is no call of the session "${session}". A call appears in the ledger soon after it ends.`,
    'session',
  );
}

const EVER: Period = { start: 0, end: Number.MAX_SAFE_INTEGER };

interface AgentSums {
  readonly agent: string | null;
  readonly parentAgent: string | null;
  readonly depth: number;
  readonly uses: readonly ContextUse[];
  readonly own: SumWithTimes;
  readonly withDescendants: MutableTotals;
}

/** Returns the agents of a session, each after its parent, with the sums of all agents below it. */
function agentTree(uses: readonly ContextUse[]): AgentSums[] {
  const calls = Map.groupBy(uses, ({ agent }) => agent);
  const agents = arrangeAgents(uses).map((place): AgentSums => {
    const own = calls.get(place.agent) ?? [];
    return Object.assign(place, { uses: own, own: addUp(own), withDescendants: addUp(own).totals });
  });
  const byName = new Map(agents.map((each) => [each.agent, each]));
  for (const { agent, parentAgent, withDescendants } of agents.toReversed()) {
    const parent = agent === null ? undefined : byName.get(parentAgent);
    if (parent) addTotals(parent.withDescendants, withDescendants);
  }
  return agents;
}

/** Returns the agents with the highest cost in the order of the tree. No agent costs more than its ancestors. */
function costliestAgents(agents: readonly AgentSums[], limit: number): readonly AgentSums[] {
  if (agents.length <= limit) return agents;
  const kept = new Set(agents.toSorted((a, b) => compareTotals(a.withDescendants, b.withDescendants)).slice(0, limit));
  return agents.filter((each) => kept.has(each));
}

function agentView({
  agent,
  parentAgent,
  depth,
  uses,
  own,
  withDescendants,
}: AgentSums): SessionDetail['agents'][number] {
  return {
    agent,
    parentAgent,
    depth,
    own: sumsView(own.totals),
    withDescendants: sumsView(withDescendants),
    models: differentNames(uses, 'model'),
    requestClasses: differentNames(uses, 'requestClass'),
    firstCallAt: uses.length === 0 ? null : toIso(own.firstAt),
    lastCallAt: uses.length === 0 ? null : toIso(own.lastAt),
  };
}

function differentNames(uses: readonly ContextUse[], part: ContextPart): string[] {
  return [...new Set(uses.flatMap((use) => use[part] ?? []))].toSorted();
}

/** Finds the assistant session of a session's newest call, and what its synced file has beyond the gateway. */
async function findAssistantSession(
  { reports, sessions }: CallSessionServices,
  workspaceId: string,
  session: string,
  range: Period,
): Promise<SessionDetail['assistantSession']> {
  const newest = await reports.entriesPage(workspaceId, { range, filter: { session }, cursor: null, limit: 1 });
  const hash = newest.rows[0]?.entry.sessionHash ?? null;
  if (hash === null) return null;
  const synced = await sessions.synced(workspaceId, hash);
  if (synced === null) return { hash, synced };
  const { cost, calls, inputTokens, outputTokens } = synced;
  return { hash, synced: { calls, cost: usdFromNano(cost), inputTokens, outputTokens, ...unpricedFields(synced) } };
}

/** Sums what was synced or observed of a session; null = nothing. */
function describeOutside(rows: readonly AssistantRow[]): SessionDetail['outside'] {
  const [first] = rows;
  if (!first) return null;
  const models = [...Map.groupBy(rows, ({ model }) => model)].flatMap(([value, own]) =>
    value === null ? [] : [{ value, ...sumAssistantRows(own) }],
  );
  return { ...sessionFacts(first, rows), ...sumAssistantRows(rows), models: models.toSorted(compareRetailCost) };
}

function addUp(uses: readonly ContextUse[]): SumWithTimes {
  const sum: SumWithTimes = { totals: emptySum(), firstAt: Infinity, lastAt: 0 };
  for (const { totals, firstAt, lastAt } of uses) {
    addTotals(sum.totals, totals);
    sum.firstAt = Math.min(sum.firstAt, firstAt);
    sum.lastAt = Math.max(sum.lastAt, lastAt);
  }
  return sum;
}

function sharesBy(uses: readonly ContextUse[], part: ContextPart) {
  return [...Map.groupBy(uses, (use) => use[part])]
    .flatMap(([value, of]) => (value === null ? [] : [{ value, totals: addUp(of).totals }]))
    .toSorted((a, b) => compareTotals(a.totals, b.totals))
    .map(({ value, totals }) => Object.assign({ value }, shareView(totals)));
}

function shareView(totals: UsageTotals) {
  return { calls: totals.calls, cost: usdFromNano(totals.cost), ...uncertaintyFields(totals) };
}

function sumsView(totals: UsageTotals) {
  return {
    ...shareView(totals),
    failedCalls: totals.failedCalls,
    inputTokens: totals.inputTokens,
    cacheReadTokens: totals.cacheReadTokens,
    cacheWriteTokens: totals.cacheWriteTokens,
    outputTokens: totals.outputTokens,
  };
}

function timesView({ firstAt, lastAt }: Pick<SumWithTimes, 'firstAt' | 'lastAt'>) {
  return { firstCallAt: toIso(firstAt), lastCallAt: toIso(lastAt) };
}

function newestUseFirst(a: { readonly lastAt: number }, b: { readonly lastAt: number }): number {
  return b.lastAt - a.lastAt;
}

function costliestSessionFirst(a: { readonly totals: UsageTotals }, b: { readonly totals: UsageTotals }): number {
  return compareTotals(a.totals, b.totals);
}

/** Sorts by cost, highest first. */
function compareTotals(a: UsageTotals, b: UsageTotals): number {
  return Number(b.cost - a.cost) || b.calls - a.calls;
}
