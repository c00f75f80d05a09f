import type { Limit } from '../domain/limits/limit.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import type { RefusedCall } from '../domain/usage/refused-call.ts';
import type { Clock } from '../lib/clock.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { Records } from '../storage/records/records.ts';
import { type HistorySink, seedHistory, sessionLimitTime } from './history.ts';
import { PEOPLE } from './assistants.ts';
import type { PastClock } from './past-clock.ts';
import type { SessionLimit } from './session-budget.ts';
import { AGENTS_TEAM, SANDBOX_KEYS, TEAMS } from './teams.ts';

const WORKSPACE = 'ws_default';
const ACTOR = 'owner';

interface DemoKey {
  readonly id: string;
  readonly team: string;
  readonly provider: string;
  readonly secret: string;
}

/** The access token of a machine whose assistants are synced. */
export interface DemoMachine {
  readonly name: string;
  readonly id: string;
  readonly secret: string;
}

export interface DemoSecrets {
  readonly keys: readonly DemoKey[];
  readonly machines: readonly DemoMachine[];
  /** An access token that may read. */
  readonly token: string;
}

/** Records that the demo has from its start. */
export interface DemoRecords extends DemoSecrets {
  readonly sessionLimit: SessionLimit;
}

type SeededRecords = Pick<Records, 'keys' | 'tokens' | 'invitations' | 'webhooks' | 'limits'>;

/** People began a little before the history does. */
const BEGAN_MS_AGO = 101 * DAY_MS;
const SESSION_BUDGET_NANO = 40_000_000_000;

/**
 * Makes a wrapped key for each team of the demo, people with a token for each machine, webhooks, a token to read with,
 * and a limit on each session.
 * @param receiver URL of the sandbox receiver for webhooks
 */
export async function makeDemoRecords(
  records: SeededRecords,
  clock: PastClock,
  receiver: string,
): Promise<DemoRecords> {
  const begun = await clock.ago(BEGAN_MS_AGO, async () => {
    const keys = await addKeys(records);
    const machines = await addPeople(records, clock.now);
    await addWebhooks(records, receiver);
    return { keys, machines, token: await addReader(records) };
  });
  const now = clock.now();
  const since = sessionLimitTime(now);
  const agents = begun.keys.find(({ team }) => team === AGENTS_TEAM.name)?.id ?? '';
  const limit = await clock.ago(now - since, () => addSessionLimit(records, agents));
  return { ...begun, sessionLimit: { ...limit, keyId: agents, since } };
}

async function addKeys({ keys }: SeededRecords): Promise<DemoKey[]> {
  const made: DemoKey[] = [];
  for (const { name, provider, tags } of TEAMS) {
    const source = { providerKey: SANDBOX_KEYS[provider] };
    const { key, secret } = await keys.create(
      { workspaceId: WORKSPACE, name, provider, tags, expiresAt: null, source },
      ACTOR,
    );
    made.push({ id: key.id, team: name, provider, secret });
  }
  return made;
}

async function addReader({ tokens }: SeededRecords): Promise<string> {
  const scopes = ['usage:read', 'alerts:read'] as const;
  return (await tokens.create({ workspaceId: WORKSPACE, name: 'Reader', scopes, expiresAt: null }, ACTOR)).secret;
}

/** Adds a webhook that works, and one that often does not, so that there are attempts to look at. */
async function addWebhooks({ webhooks }: SeededRecords, receiver: string): Promise<void> {
  const shared = { workspaceId: WORKSPACE, type: 'CUSTOM', secret: null, digest: 'off' } as const;
  await webhooks.create(
    {
      ...shared,
      name: 'On call',
      url: `${receiver}/steady`,
      events: ['COST_SPIKE', 'BUDGET_WARNING', 'BUDGET_EXCEEDED', 'ERROR_SPIKE', 'RATE_LIMIT', 'UNPRICED_MODEL'],
    },
    ACTOR,
  );
  const events = ['COST_SPIKE', 'ERROR_SPIKE'] as const;
  await webhooks.create({ ...shared, name: 'Status page', url: `${receiver}/flaky`, events }, ACTOR);
}

function addSessionLimit({ limits }: SeededRecords, keyId: string): Promise<Limit> {
  return limits.create(
    {
      workspaceId: WORKSPACE,
      scope: { kind: 'each', of: 'session', keyId },
      unit: 'usd',
      amount: SESSION_BUDGET_NANO,
      window: 'total',
      action: 'block',
      thresholds: [],
      uncertain: 'keep',
      countsObserved: false,
      label: 'Session budget',
    },
    ACTOR,
  );
}

/** Adds people who can't sign in, each with an access token for each of their machines. */
async function addPeople({ invitations, tokens }: SeededRecords, clock: Clock): Promise<DemoMachine[]> {
  const machines: DemoMachine[] = [];
  for (const { name, machines: names } of PEOPLE) {
    const email = `${name.split(' ', 1).join('').toLowerCase()}@demo.example`;
    const invited = { workspaceId: WORKSPACE, role: 'member', email: null, expiresAt: clock() + DAY_MS } as const;
    const { code } = await invitations.create(invited, { actor: ACTOR, role: 'owner' });
    const user = await invitations.accept(code, { name, email, passwordHash: NO_PASSWORD });
    for (const machine of names) {
      const token = { workspaceId: WORKSPACE, name: machine, scopes: ['sync:write'] as const, expiresAt: null };
      const made = await tokens.create(token, user.id);
      machines.push({ name: machine, id: made.token.id, secret: made.secret });
    }
  }
  return machines;
}

/** No password has this hash. */
const NO_PASSWORD = 'none';

/** Fills the past 100 days of the demo's ledger. Returns the calls that were refused. */
export function seedDemoHistory(
  sink: HistorySink,
  { keys, sessionLimit }: DemoRecords,
  clock: Clock,
  resolvePrice: (provider: string, model: string, atMs: number) => RateCard | null,
): Promise<RefusedCall[]> {
  const keyIds = new Map(keys.map(({ id, team }) => [team, id]));
  return seedHistory(sink, {
    workspaceId: WORKSPACE,
    keyIds,
    sessionLimit,
    now: clock(),
    random: Math.random,
    resolvePrice,
  });
}
