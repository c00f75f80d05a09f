import type { Config } from '../config.ts';
import { buildRequest } from '../contract/client.ts';
import type { RouteResponse, RouteKey, RouteRequest } from '../contract/routes.ts';
import { type DemoSecrets, seedDemoHistory } from '../demo/seed.ts';
import { ORGANIZATION_PATH, RECEIVER_PATH, sendSandboxUsage } from '../demo/sandbox.ts';
import { seedDemoSettings } from '../demo/seed-settings.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ledger } from './ledger.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';

/** Seeds the demo with past usage and with settings. */
export async function seedDemoLedger(
  ledger: Ledger,
  secrets: DemoSecrets,
  config: Config,
  clock: Clock,
): Promise<void> {
  await seedDemoHistory(ledger.shipping, secrets, clock, (provider, model, at) =>
    ledger.prices.resolve(DEFAULT_WORKSPACE, provider, model, at),
  );
  const sandbox = config.providerUrls['anthropic'] ?? config.baseUrl;
  await seedDemoSettings({
    call: (key, parts) => callApi(ledger, key, parts),
    upload: (token, body) => callApi(ledger, 'POST /api/mcp/sync/sessions', { body }, token),
    raise: (alert) => ledger.raise(alert),
    over: (episode) => ledger.receiveAlert({ type: 'alert-ended', workspaceId: DEFAULT_WORKSPACE, episode }),
    receiver: new URL(RECEIVER_PATH, sandbox).href,
    report: (uses) => sendSandboxUsage(sandbox + ORGANIZATION_PATH, uses),
    keys: secrets.keys,
    machines: secrets.machines,
    now: clock(),
    random: Math.random,
  });
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
