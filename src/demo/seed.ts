import type { RateCard } from '../domain/pricing/price.ts';
import type { Clock } from '../lib/clock.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { Records } from '../storage/records/records.ts';
import { type HistorySink, seedHistory } from './history.ts';
import { PEOPLE } from './assistants.ts';
import { TEAMS } from './teams.ts';

const WORKSPACE = 'ws_default';
const ACTOR = 'demo';

interface DemoKey {
  readonly id: string;
  readonly team: string;
  readonly provider: string;
  readonly secret: string;
}

/** The access token of a machine whose assistants are synced. */
interface DemoMachine {
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

type SeededRecords = Pick<Records, 'keys' | 'tokens' | 'invitations'>;

/** Makes a wrapped key for each team of the demo, people with a token for each machine, and a token to read with. */
export async function makeDemoSecrets(records: SeededRecords, clock: Clock): Promise<DemoSecrets> {
  const keys: DemoKey[] = [];
  for (const { name, provider, tags } of TEAMS) {
    const source = { providerKey: `sandbox-key-of-${provider}-${LAST_FOUR[provider]}` };
    const made = await records.keys.create(
      { workspaceId: WORKSPACE, name, provider, tags, expiresAt: null, source },
      ACTOR,
    );
    keys.push({ id: made.key.id, team: name, provider, secret: made.secret });
  }
  const token = {
    workspaceId: WORKSPACE,
    name: 'Reader',
    scopes: ['usage:read', 'alerts:read'] as const,
    expiresAt: null,
  };
  return { keys, machines: await addPeople(records, clock), token: (await records.tokens.create(token, ACTOR)).secret };
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

/** Ends of the provider keys, as pages show them. */
const LAST_FOUR = { anthropic: 'x7Qa', google: 'k2Vd', openai: 'm9Te' } as const;

/** No password has this hash. */
const NO_PASSWORD = 'none';

/** Fills the past 100 days of the demo's ledger. */
export function seedDemoHistory(
  sink: HistorySink,
  { keys }: DemoSecrets,
  clock: Clock,
  resolvePrice: (provider: string, model: string, atMs: number) => RateCard | null,
): Promise<number> {
  const keyIds = new Map(keys.map(({ id, team }) => [team, id]));
  return seedHistory(sink, { workspaceId: WORKSPACE, keyIds, now: clock(), random: Math.random, resolvePrice });
}
