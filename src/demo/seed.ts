import type { RateCard } from '../domain/pricing/price.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import { type HistorySink, seedHistory } from './history.ts';
import { TEAMS } from './teams.ts';

const WORKSPACE = 'ws_default';
const ACTOR = 'demo';

interface DemoKey {
  readonly id: string;
  readonly team: string;
  readonly provider: string;
  readonly secret: string;
}

export interface DemoSecrets {
  readonly keys: readonly DemoKey[];
  /** An access token that may read. */
  readonly token: string;
}

/** Makes a wrapped key for each team of the demo, and a token to read with. */
export async function makeDemoSecrets(records: Pick<Records, 'keys' | 'tokens'>): Promise<DemoSecrets> {
  const keys: DemoKey[] = [];
  for (const { name, provider, tags } of TEAMS) {
    const source = { providerKey: `demo-sandbox-key-of-${provider}` };
    const made = await records.keys.create(
      { workspaceId: WORKSPACE, name, provider, tags, expiresAt: null, source },
      ACTOR,
    );
    keys.push({ id: made.key.id, team: name, provider, secret: made.secret });
  }
  const token = {
    workspaceId: WORKSPACE,
    name: 'DEMO reader',
    scopes: ['usage:read', 'alerts:read'] as const,
    expiresAt: null,
  };
  return { keys, token: (await records.tokens.create(token, ACTOR)).secret };
}

/** Fills the past 30 days of the demo's ledger. */
export function seedDemoHistory(
  sink: HistorySink,
  { keys }: DemoSecrets,
  clock: Clock,
  resolvePrice: (provider: string, model: string, atMs: number) => RateCard | null,
): Promise<number> {
  const keyIds = new Map(keys.map(({ id, team }) => [team, id]));
  return seedHistory(sink, { workspaceId: WORKSPACE, keyIds, now: clock(), random: Math.random, resolvePrice });
}
