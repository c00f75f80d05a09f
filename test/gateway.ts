import { ONE_NODE } from '../src/storage/records/nodes.ts';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { LIMITS } from '../src/config.ts';
import { parseAddressRange } from '../src/domain/identity/address-range.ts';
import type { Alert } from '../src/domain/alerts/alert.ts';
import { createMemoryJournal } from '../src/journal/contract/memory-journal.ts';
import { LimitsEngine } from '../src/limits/limits.ts';
import { hashSecret } from '../src/lib/crypto/cipher.ts';
import { createIdSource } from '../src/lib/crypto/id.ts';
import { silentLog } from '../src/lib/log.ts';
import { createPriceBook, type PriceBook } from '../src/prices/price-book.ts';
import type { Provider } from '../src/providers/provider.ts';
import { openGatewayServer } from '../src/gateway/server.ts';
import { KeyRing } from '../src/gateway/proxy/keys.ts';
import { PROVIDER_KEY } from './service.ts';
import type { Limit } from '../src/domain/limits/limit.ts';
import { OPEN_POLICY, type Policy } from '../src/domain/policy/policy.ts';

/** A wrapped key that the gateway of `startTestGateway` knows. */
export const TEST_GATEWAY_SECRET = 'svc_sk_of_the_test';

export interface TestGatewayOptions {
  /** Of the wrapped key; default: anthropic. */
  readonly provider?: string;
  readonly policy?: Partial<Policy>;
  readonly limits?: readonly Limit[];
  readonly trustedProxies?: readonly string[];
  readonly callsPerKeyMax?: number;
  readonly upstreamConnectionsMax?: number;
  readonly connectionsPerAddressMax?: number;
  /** Socket of a ledger thread; default: none. */
  readonly webSocket?: string | null;
  readonly prices?: PriceBook;
  /** Ledger time was read. */
  readonly timeRead?: () => void;
  /** Told of each call that the journal has. */
  readonly ended?: (callId: string) => void;
}

/** Starts only the gateway, in this process, with a journal in memory and clocks that a test sets. */
export async function startTestGateway(
  providers: ReadonlyMap<string, Provider>,
  {
    provider = 'anthropic',
    policy,
    limits = [],
    ended,
    timeRead,
    prices = createPriceBook(),
    trustedProxies = [],
    callsPerKeyMax = LIMITS.callsPerKeyMax,
    upstreamConnectionsMax = LIMITS.upstreamConnectionsMax,
    connectionsPerAddressMax = LIMITS.connectionsPerAddressMax,
    webSocket = null,
  }: TestGatewayOptions = {},
) {
  const time = { now: Date.UTC(2026, 10, 1), uptime: 0 };
  const clock = () => time.now;
  const { journal, entries, refused, failWith } = createMemoryJournal();
  const keys = new KeyRing();
  const ledger = new LimitsEngine({ crossed: () => {}, overran: () => {} });
  ledger.load(limits, [], time.now);
  const raised: Alert[] = [];
  const gateway = openGatewayServer({
    journal,
    keys,
    providers,
    prices,
    engine: ledger,
    now: () => {
      timeRead?.();
      return time.now;
    },
    baseUrl: 'http://localhost:8787',
    hosts: { refusal: () => null },
    trustedProxies: trustedProxies.flatMap((text) => parseAddressRange(text) ?? []),
    callsPerKeyMax,
    upstreamConnectionsMax,
    connectionsPerAddressMax,
    clock,
    uptime: () => time.uptime,
    log: silentLog,
    newCallId: createIdSource('call', clock),
    baggageTags: false,
    webSocket,
    shippedMark: () => 0,
    ledgerProblem: () => null,
    deliveriesWaiting: () => 0,
    nodes: () => ONE_NODE,
    exported: () => null,
    listedNodes: () => [],
    connections: () => [],
    raise: (alert) => raised.push(alert),
    ended: ({ begin }) => ended?.(begin.callId),
    refused: () => {},
  });
  const key = {
    id: 'key_1',
    hash: hashSecret(TEST_GATEWAY_SECRET),
    workspaceId: 'ws_default',
    provider,
    name: 'test',
    credential: 'provider_key' as const,
    tags: {},
    expiresAt: null,
    revokedAt: null,
    policy: policy ? { ...OPEN_POLICY, ...policy } : OPEN_POLICY,
    providerKey: PROVIDER_KEY,
  };
  keys.load([key], []);
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  const url = `http://127.0.0.1:${(gateway.server.address() as AddressInfo).port}`;
  return { gateway, entries, refused, failWith, key, keys, ledger, raised, time, url };
}
