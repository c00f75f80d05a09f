import { EMPTY_TOTALS } from '../src/domain/usage/usage-totals.ts';
import type { AdminKeyShape } from '../src/contract/admin-keys.ts';
import type { UnproxiedModelUsage } from '../src/domain/reconciliation/unproxied-usage.ts';
import { RESOLVE_UNCERTAIN_CALLS } from '../src/jobs/resolve-uncertain-calls.ts';
import {
  ADMIN_KEY,
  type Fact,
  Organization,
  type OrganizationOptions,
  serveOrganization,
} from './doubles/admin-api.ts';
import { eventually } from './service.ts';
import { openTestLedger, type TestLedger } from './test-ledger.ts';
import { DAY_MS } from '../src/domain/time/units.ts';

/** Hint that the double shows of it. */
const PROVIDER_KEY = 'sk-ant-api03-R2D-never-shown-0123456789-igAA';
export const MODEL = 'claude-sonnet-4-5';
/** 1,000 tokens in and 500 out. */
export const CALL_USD = 0.0105;
export const TODAY = Date.parse('2026-03-15T00:00:00Z');

/** Usage of one call in a report. */
export function fact(changes: Partial<Fact>): Fact {
  return {
    day: TODAY - 5 * DAY_MS,
    key: 'apikey_1',
    project: null,
    model: MODEL,
    tier: 'standard',
    input: 1_000,
    cacheRead: 0,
    write: 0,
    output: 500,
    searches: 0,
    requests: 1,
    // The double has one line for each fact, of its output.
    amount: String((changes.output ?? 500) * 0.0015),
    ...changes,
  };
}

/** Unproxied usage of one model on a day. */
export function restOf(totals: Partial<UnproxiedModelUsage['totals']>): UnproxiedModelUsage {
  return {
    model: 'claude-of-tomorrow',
    totals: {
      ...EMPTY_TOTALS,
      inputTokens: 9,
      outputTokens: 9,
      ...totals,
    },
    coverage: { total: 0n, unproxied: 0n, unknown: 0n },
  };
}

/** A ledger with a double of Anthropic's organization, at noon of `TODAY`. */
export interface OrganizationLedger {
  readonly it: TestLedger;
  readonly organization: Organization;
  /** Adds its admin key. */
  connect(workspaceId?: string): Promise<string>;
  /** Starts the book's jobs, but for the one that tells lost calls: for a quarter of an hour, or until it is done. */
  startMostJobs(): Promise<void>;
  /** Reads all its reports, and waits until what they say is settled. */
  read(adminKey: string, workspaceId?: string): Promise<void>;
  waitUntilComputed(adminKey: string): Promise<void>;
  /** Wraps a provider key, by default the one that the double shows. */
  wrap(workspaceId: string, providerKey?: string): Promise<string>;
  close(): Promise<void>;
}

export async function openOrganizationLedger(
  options: Omit<OrganizationOptions, 'provider'> = {},
): Promise<OrganizationLedger> {
  const organization = new Organization({ provider: 'anthropic', ...options });
  const server = await serveOrganization(organization);
  const it = await openTestLedger({ SVC_ANTHROPIC_URL: server.url });
  it.time.now = TODAY + DAY_MS / 2;
  const { store, records } = it.ledger;
  let count = 0;
  const waitUntilComputed = async (adminKey: string): Promise<void> => {
    await eventually(
      () => store.unproxiedUsage.markedDays(adminKey, 1),
      (left) => left.length === 0,
    );
  };
  return {
    it,
    organization,
    waitUntilComputed,
    async connect(workspaceId = 'ws_default') {
      const body = { name: 'main', provider: 'anthropic', adminKey: ADMIN_KEY };
      const headers = { 'x-svc-workspace': workspaceId };
      return (await it.json<AdminKeyShape>('/api/manage/admin-keys', { method: 'POST', body, headers })).id;
    },
    async startMostJobs() {
      await it.ledger.startJobs();
      const { now } = it.time;
      const until = now + 60_000;
      const name = RESOLVE_UNCERTAIN_CALLS;
      const hold = () => records.jobs.claim({ name, runner: 'test/run', now, until, dueBefore: now + 1 });
      // It looks once at the start, when nothing was read yet.
      await eventually(hold, Boolean);
    },
    async read(adminKey, workspaceId = 'ws_default') {
      const headers = { 'x-svc-workspace': workspaceId };
      const { length } = organization.answered;
      await it.json(`/api/manage/admin-keys/${adminKey}/sync`, { method: 'POST', headers });
      const isRead = async (): Promise<boolean> => {
        const [key] = await it.json<AdminKeyShape[]>('/api/manage/admin-keys', { headers });
        const lists = organization.answered.slice(length).filter((asked) => asked.includes('/users?'));
        return key?.progress.daysDone === 365 && lists.length > 0 && key.nextSyncAt !== new Date(0).toISOString();
      };
      await eventually(isRead, Boolean);
      await waitUntilComputed(adminKey);
    },
    async wrap(workspaceId, providerKey = PROVIDER_KEY) {
      const input = { workspaceId, name: `key ${(count += 1)}`, provider: 'anthropic', tags: {}, expiresAt: null };
      return (await records.keys.create({ ...input, source: { providerKey } }, 'owner')).key.id;
    },
    async close() {
      await it.close();
      await server.close();
    },
  };
}
