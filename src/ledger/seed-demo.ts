import type { Config } from '../config.ts';
import { buildRequest } from '../contract/client.ts';
import type { RouteResponse, RouteKey, RouteRequest } from '../contract/routes.ts';
import type { PastClock } from '../demo/past-clock.ts';
import { type DemoRecords, makeDemoRecords, seedDemoHistory } from '../demo/seed.ts';
import { ORGANIZATION_PATH, RECEIVER_PATH, sendSandboxUsage } from '../demo/sandbox.ts';
import type { RefusedCall } from '../domain/usage/refused-call.ts';
import { refusalAlert } from '../limits/alerts.ts';
import { LimitRefusedError, refusalError } from '../limits/refusal-errors.ts';
import { seedDemoSettings } from '../demo/seed-settings.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ledger } from './ledger.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';

/** Makes the records that the demo's clients need. */
export function makeDemoLedgerRecords(ledger: Ledger, config: Config, clock: PastClock): Promise<DemoRecords> {
  return makeDemoRecords(ledger.records, clock, new URL(RECEIVER_PATH, sandboxUrl(config)).href);
}

function sandboxUrl(config: Config): string {
  return config.providerUrls['anthropic'] ?? config.baseUrl;
}

/** Seeds the demo with past usage and with settings. */
export async function seedDemoLedger(
  ledger: Ledger,
  records: DemoRecords,
  config: Config,
  clock: Clock,
): Promise<void> {
  const refused = await seedDemoHistory(ledger.shipping, records, clock, (provider, model, at) =>
    ledger.prices.resolve(DEFAULT_WORKSPACE, provider, model, at),
  );
  await seedDemoSettings({
    call: (key, parts) => callApi(ledger, key, parts),
    upload: (token, body) => callApi(ledger, 'POST /api/mcp/sync/sessions', { body }, token),
    raise: (alert) => ledger.raise(alert),
    recordOutcomes: (outcomes) => ledger.records.outcomes.record(DEFAULT_WORKSPACE, outcomes),
    over: (episode) => ledger.receiveAlert({ type: 'alert-ended', workspaceId: DEFAULT_WORKSPACE, episode }),
    report: (uses) => sendSandboxUsage(sandboxUrl(config) + ORGANIZATION_PATH, uses),
    keys: records.keys,
    machines: records.machines,
    now: clock(),
    random: Math.random,
  });
  await raiseRefusal(ledger, refused);
}

/** Raises the alert of the session that was refused last, as the gateway does at its first refused call. */
async function raiseRefusal(ledger: Ledger, refused: readonly RefusedCall[]): Promise<void> {
  const value = refused.at(-1)?.value ?? null;
  const call = refused.find((each) => each.value === value);
  if (!call || value === null) return;
  const { limitId, keyId, provider, needed, left, at } = call;
  const [limit, key] = await Promise.all([
    ledger.records.limits.get(DEFAULT_WORKSPACE, limitId),
    ledger.records.keys.get(DEFAULT_WORKSPACE, keyId),
  ]);
  const { amount } = limit;
  const counted = amount - (left ?? 0);
  const standing = {
    limit,
    value,
    windowStart: 0,
    windowEnd: null,
    amount,
    counted,
    uncertain: 0,
    held: 0,
    left: left ?? 0,
  };
  const error = refusalError(
    { reason: 'exceeds_limit', standing, need: needed ?? 0, overrun: null, outputField: 'max_tokens' },
    at,
    key,
  );
  if (!(error instanceof LimitRefusedError)) return;
  const subject = { keyId, provider, model: call.model ?? '' };
  await ledger.raise(refusalAlert(error.refused, subject, `refused:${limitId}:0:${at}:${value}`, false, at));
}

/** Calls the API as the owner, or with an access token. */
async function callApi<Key extends RouteKey>(
  ledger: Ledger,
  key: Key,
  parts: RouteRequest<Key>,
  token?: string,
): Promise<RouteResponse<Key>> {
  const { path, ...sent } = buildRequest(key, parts);
  const request = new Request(`http://demo${path}`, sent);
  if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
  const answer = await ledger.fetch(request, { caller: token === undefined ? 'owner' : 'public' });
  if (!answer.ok) throw new Error(`The demo could not be furnished: ${path}: ${await answer.text()}`);
  return (await answer.json()) as RouteResponse<Key>;
}
