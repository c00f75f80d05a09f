import { setTimeout as pause } from 'node:timers/promises';
import type { ProviderTest } from '../contract/providers.ts';
import { TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { hashSecret } from '../lib/crypto/cipher.ts';
import type { Provider } from '../providers/provider.ts';
import type { WrappedKey } from '../storage/records/key-rows.ts';
import type { Records } from '../storage/records/records.ts';
import type { RecordedEntry, UsageQueries } from '../storage/usage-queries.ts';
import { entryView } from './entries.ts';
import type { GatewayNotices } from './gateway-notices.ts';
import { endpoint, type Caller } from './http/endpoint.ts';
import { managesAll, requireOwn } from './permissions.ts';
import { unknownProvider } from './unknown-provider.ts';

/** Sends test calls through the gateway; provided by the ledger thread. */
export interface ProviderTester {
  /** Returns a secret by which the gateway may be asked to take calls of a wrapped key. */
  secretForKey(keyId: string): string;
  /** Sends one small call. Never throws. */
  send(provider: Provider, model: string, secret: string): Promise<TestAnswer>;
}

export interface TestAnswer {
  /** null = no gateway answered. */
  readonly callId: string | null;
  /** Why the call failed; null = it did not. */
  readonly problem: string | null;
}

export interface ProviderTestServices {
  readonly clock: Clock;
  readonly records: Records;
  readonly reports: UsageQueries;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly gateway: Pick<GatewayNotices, 'keyLent'>;
  readonly providerTester: ProviderTester;
}

/** Time in which a call may begin with the secret of a test. */
const LENT_MS = 10_000;

export const testProvider = endpoint(
  'POST /api/manage/providers/{id}/test',
  async ({ caller, path, body }, services: ProviderTestServices): Promise<ProviderTest> => {
    const { providers, gateway, providerTester, clock } = services;
    const provider = providers.get(path.id);
    if (!provider) throw unknownProvider(path.id, providers.keys(), 'id');
    const key = await findTestKey(caller, provider, body.keyId, services);
    const secret = providerTester.secretForKey(key.id);
    if (!(await gateway.keyLent(key.id, hashSecret(secret), clock() + LENT_MS)))
      throw new TollbookError('unavailable', 'No gateway is ready for the call. Start the service: tollbook serve');
    const { callId, problem } = await providerTester.send(provider, body.model, secret);
    const recorded = callId === null ? null : await waitForEntry(caller.workspaceId, callId, problem, services);
    return describeTest(key.id, recorded, problem);
  },
);

/** Returns the named key, or the newest one that the caller may use. Throws if none can make the call. */
async function findTestKey(
  caller: Caller,
  provider: Provider,
  keyId: string | undefined,
  { records, clock }: ProviderTestServices,
): Promise<WrappedKey> {
  const fits = (key: WrappedKey): boolean => key.provider === provider.id && isUsable(key, clock());
  if (keyId !== undefined) {
    const key = await records.keys.get(caller.workspaceId, keyId);
    // Spending with a key that others created falls under the rules that they set.
    requireOwn(caller, key);
    if (fits(key)) return key;
    throw new TollbookError(
      'unprocessable',
      `The wrapped key "${key.name}" is not an active key with a provider key for ${provider.id}. Name another one.`,
      'keyId',
    );
  }
  const keys = await records.keys.list(caller.workspaceId);
  const found = keys.find((key) => fits(key) && (managesAll(caller) || key.createdBy === caller.actor));
  if (found) return found;
  const option = provider.isKeyless ? '' : ' --provider-key-stdin';
  throw new TollbookError(
    'unprocessable',
    `${provider.name} has no active wrapped key that you may use. Create one under Keys, or with: tollbook keys create --provider ${provider.id} --name first${option}`,
    'keyId',
  );
}

function isUsable({ credential, revokedAt, expiresAt }: WrappedKey, now: number): boolean {
  return credential === 'provider_key' && revokedAt === null && (expiresAt === null || expiresAt > now);
}

const POLL_MS = 50;
/** Time for a call to reach the ledger after its answer. */
const ENTRY_MS_MAX = 10_000;
/** The same for a call that failed: the gateway may have refused it, and then there is no entry. */
const REFUSED_MS_MAX = 2_000;

async function waitForEntry(
  workspaceId: string,
  callId: string,
  problem: string | null,
  { reports }: Pick<ProviderTestServices, 'reports'>,
): Promise<RecordedEntry | null> {
  for (let left = (problem === null ? ENTRY_MS_MAX : REFUSED_MS_MAX) / POLL_MS; left > 0; left -= 1) {
    const found = await reports.entry(workspaceId, callId);
    if (found) return found;
    await pause(POLL_MS);
  }
  return null;
}

function describeTest(keyId: string, recorded: RecordedEntry | null, problem: string | null): ProviderTest {
  const entry = recorded && entryView(recorded);
  const reported = entry?.usageSource === 'reported';
  return {
    reached: problem === null || (entry !== null && entry.status > 0),
    status: entry?.status || null,
    problem,
    callId: entry?.id ?? null,
    keyId,
    model: entry?.model ?? null,
    inputTokens: reported ? entry.inputTokens : null,
    outputTokens: reported ? entry.outputTokens : null,
    cost: entry?.cost ?? null,
    requestId: entry?.requestId ?? null,
  };
}
