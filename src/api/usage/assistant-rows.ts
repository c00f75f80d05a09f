import { LIMITS } from '../../config.ts';
import type { CodingAssistant } from '../../domain/observed/observed-call.ts';
import type { LocalSource } from '../../domain/sessions/local-call.ts';
import { covers, subscribedTime } from '../../domain/sessions/subscription.ts';
import type { Period } from '../../domain/time/period.ts';
import { isEmptySum, type UsageTotals } from '../../domain/usage/usage-totals.ts';
import type { Records } from '../../storage/records/records.ts';
import type { AssistantUse, SessionStore } from '../../storage/session-store.ts';
import type { AssistantCalls, UsageQueries } from '../../storage/usage-queries.ts';
import { type PlanContext, readPlanContext } from './session-usage.ts';
import { atListPrice } from './subscription-calls.ts';

/** Stores and records from which usage of assistants is read. */
export interface AssistantParts {
  readonly records: Pick<Records, 'keys' | 'tokens' | 'users' | 'workspaces' | 'subscriptions'>;
  readonly reports: Pick<UsageQueries, 'assistantCalls'>;
  readonly sessions: Pick<SessionStore, 'assistantUses'>;
}

/** A value with its name for people. */
export interface NamedValue {
  readonly value: string;
  readonly name: string;
}

/** Access token or wrapped key, and the person to whom its usage belongs. */
export interface CredentialOwner {
  readonly credential: NamedValue;
  /** The user who created it; if none did, the token or key itself. */
  readonly person: NamedValue;
}

/** Usage of an assistant in one session and UTC hour, at list price. */
export interface AssistantRow extends CredentialOwner {
  readonly hour: number;
  readonly assistant: CodingAssistant | LocalSource;
  /** Name or hash of the session; null = not known. */
  readonly session: string | null;
  readonly sessionHash: string | null;
  readonly project: string | null;
  readonly model: string | null;
  readonly provider: string;
  /** A subscription covers it. */
  readonly isCovered: boolean;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly totals: UsageTotals;
}

export interface AssistantRows {
  readonly rows: readonly AssistantRow[];
  /** Start of what was read: that of the range, or a later one if there is too much. */
  readonly from: number;
  readonly plans: PlanContext;
  /** Finds the owner of an access token or wrapped key. */
  readonly ownerOf: (credential: string) => CredentialOwner;
}

/** Reads what passed the gateway in assistant sessions, and what was synced or observed outside it: each call once. */
export async function readAssistantRows(
  { records, reports, sessions }: AssistantParts,
  workspaceId: string,
  range: Period,
): Promise<AssistantRows> {
  const plans = await readPlanContext(records, workspaceId);
  const valuesMax = LIMITS.reportValuesMax;
  const gateway = await reports.assistantCalls(workspaceId, { range, entriesMax: LIMITS.reportEntriesMax, valuesMax });
  const outside = await sessions.assistantUses(workspaceId, { range, valuesMax });
  const from = Math.max(range.start, gateway.from, outside.from);
  const credentials = await readCredentials(records, workspaceId);
  const known = describeSessions(gateway.calls, outside.uses);
  const subscriptionKeys = await readSubscriptionKeys(records, workspaceId);
  const isPlanned = planCheck(plans);
  const calls = gateway.calls.map((one) => toGatewayRow(one, known, credentials, subscriptionKeys));
  const uses = outside.uses.map((one) => toUseRow(one, known, credentials, isPlanned(one)));
  const rows = sortAssistantRows([...calls, ...uses].filter(({ totals }) => !isEmptySum(totals)));
  const ownerOf = (id: string): CredentialOwner => findCredential(credentials, id);
  return { rows: from === range.start ? rows : rows.filter(({ hour }) => hour >= from), from, plans, ownerOf };
}

/** Reads what was synced or observed of one session outside the gateway. */
export async function readSessionRows(
  { records, sessions }: Pick<AssistantParts, 'records' | 'sessions'>,
  workspaceId: string,
  session: string,
  range: Period,
): Promise<readonly AssistantRow[]> {
  const { uses } = await sessions.assistantUses(workspaceId, { range, session, valuesMax: LIMITS.reportValuesMax });
  if (uses.length === 0) return [];
  const isPlanned = planCheck(await readPlanContext(records, workspaceId));
  const credentials = await readCredentials(records, workspaceId);
  const known = describeSessions([], uses);
  return sortAssistantRows(uses.map((one) => toUseRow(one, known, credentials, isPlanned(one))));
}

/** Sorts rows by time. Storage engines return them in any order, and equal amounts must be listed alike. */
function sortAssistantRows(rows: readonly AssistantRow[]): AssistantRow[] {
  const names = ({ session, credential, provider, model, assistant }: AssistantRow): string =>
    [session, credential.value, provider, model, assistant].join(' ');
  return rows.toSorted((a, b) => {
    if (a.firstAt !== b.firstAt) return a.firstAt - b.firstAt;
    const [one, other] = [names(a), names(b)];
    return one < other ? -1 : one > other ? 1 : 0;
  });
}

/** Facts of sessions that only some of their calls and records have. */
interface KnownSessions {
  /** Names of sessions by hash: the hash itself, if a call has no other name. */
  readonly names: ReadonlyMap<string, string>;
  readonly projects: ReadonlyMap<string, string>;
  readonly assistants: ReadonlyMap<string, AssistantRow['assistant']>;
}

function describeSessions(calls: readonly AssistantCalls[], uses: readonly AssistantUse[]): KnownSessions {
  const projects = new Map<string, string>();
  const assistants = new Map<string, AssistantRow['assistant']>();
  for (const { session, project, assistant } of uses) {
    if (session === null) continue;
    assistants.set(session, assistant);
    // Of several projects the first by name, in any order of reading.
    if (project !== null && project <= (projects.get(session) ?? project)) projects.set(session, project);
  }
  const names = new Map<string, string>();
  for (const { session, sessionHash } of calls)
    if (session === sessionHash || !names.has(sessionHash)) names.set(sessionHash, session);
  return { names, projects, assistants };
}

/** Operations of OpenAI's API, which Codex calls. Other assistants that name their session don't. */
const CODEX_OPERATIONS: ReadonlySet<string> = new Set(['responses', 'chat.completions']);

function toGatewayRow(
  { keyId, operation, sessionHash, totals, ...call }: AssistantCalls,
  { projects, assistants }: KnownSessions,
  credentials: ReadonlyMap<string, CredentialOwner>,
  subscriptionKeys: ReadonlySet<string>,
): AssistantRow {
  const isCovered = subscriptionKeys.has(keyId);
  return {
    ...call,
    ...findCredential(credentials, keyId),
    assistant: assistants.get(sessionHash) ?? (CODEX_OPERATIONS.has(operation) ? 'codex' : 'claude_code'),
    sessionHash,
    project: projects.get(sessionHash) ?? null,
    isCovered,
    totals: isCovered ? atListPrice(totals) : totals,
  };
}

function toUseRow(
  { tokenId, session, project, ...use }: AssistantUse,
  { names, projects }: KnownSessions,
  credentials: ReadonlyMap<string, CredentialOwner>,
  isCovered: boolean,
): AssistantRow {
  return {
    ...use,
    ...findCredential(credentials, tokenId),
    session: session === null ? null : (names.get(session) ?? session),
    sessionHash: session,
    project: project ?? (session === null ? null : (projects.get(session) ?? null)),
    isCovered,
  };
}

function findCredential(credentials: ReadonlyMap<string, CredentialOwner>, id: string): CredentialOwner {
  const itself = { value: id, name: id };
  return credentials.get(id) ?? { credential: itself, person: itself };
}

/** Returns who created each access token and wrapped key of the workspace, revoked ones included. */
async function readCredentials(
  { keys, tokens, users }: Pick<Records, 'keys' | 'tokens' | 'users'>,
  workspaceId: string,
): Promise<ReadonlyMap<string, CredentialOwner>> {
  const all = [...(await tokens.list(workspaceId)), ...(await keys.list(workspaceId))];
  const people = await users.named([...new Set(all.flatMap(({ createdBy }) => createdBy ?? []))]);
  return new Map(
    all.map(({ id, name, createdBy }) => {
      const credential = { value: id, name };
      const user = createdBy === null ? undefined : people.get(createdBy);
      return [id, { credential, person: user ? { value: user.id, name: user.name } : credential }];
    }),
  );
}

async function readSubscriptionKeys({ keys }: Pick<Records, 'keys'>, workspaceId: string): Promise<Set<string>> {
  const all = await keys.list(workspaceId);
  return new Set(all.flatMap(({ id, credential }) => (credential === 'subscription' ? [id] : [])));
}

/** Returns a check if a subscription covers usage. The start of its hour decides. */
function planCheck({ subscriptions, timeZone }: PlanContext): (use: AssistantUse) => boolean {
  const plans = subscriptions.map((plan) => ({ plan, ...subscribedTime(plan, timeZone) }));
  return (use) => plans.some(({ plan, start, end }) => start <= use.hour && use.hour < end && covers(plan, use));
}
