import { readFileSync } from 'node:fs';
import { parseWebhookAllow, webhookGuard } from '../../src/domain/alerts/webhook-address.ts';
import { createGuardedSender } from '../../src/lib/http/guarded-sender.ts';
import { refuseNow, systemLookup } from '../../src/lib/http/guarded-lookup.ts';
import type { SendLimits } from '../../src/lib/http/guarded-exchange.ts';
import { startDnsDouble } from '../doubles/dns-double.ts';
import { HOSTILE_URLS, NAMES } from './hostile-addresses.ts';

/**
 * A program for a network of its own: sends to every hostile address, first as the service does, then with everything
 * allowed, and prints what the kernel counted. Names are looked up as the system does, over UDP.
 */
export interface Observed {
  /** Addresses by why nothing was sent there. */
  readonly refused: Readonly<Record<string, number>>;
  readonly whenRefused: Counted;
  /** A name that was public when the webhook was made, and private when something was sent. */
  readonly rebound: readonly (string | null)[];
  readonly whenAllowed: Counted;
}

interface Counted {
  /** TCP connections that were begun, wherever to. */
  readonly connections: number;
  /** Packets of any kind to other machines. */
  readonly packetsOut: number;
  readonly namesAsked: number;
}

const DNS_PORT = 53;
const HTTPS_PORT = '443';

const dns = await startDnsDouble(NAMES, DNS_PORT);

function count(): Counted {
  const tcp = /^Tcp: .*ActiveOpens.*\n(.*)$/m.exec(readFileSync('/proc/net/snmp', 'utf8'))?.[1]?.split(' ');
  const out = /^ *out: *(.*)$/m.exec(readFileSync('/proc/net/dev', 'utf8'))?.[1]?.split(/ +/);
  return { connections: Number(tcp?.[5]), packetsOut: Number(out?.[9]), namesAsked: dns.asked.length };
}

async function counting(act: () => Promise<void>): Promise<Counted> {
  const before = count();
  await act();
  const after = count();
  return {
    connections: after.connections - before.connections,
    packetsOut: after.packetsOut - before.packetsOut,
    namesAsked: after.namesAsked - before.namesAsked,
  };
}

async function sendAll(allow: string, limits: Partial<SendLimits> = {}): Promise<Record<string, number>> {
  const guard = webhookGuard(parseWebhookAllow('SVC_WEBHOOK_ALLOW', allow));
  const sender = createGuardedSender({ guard, limits });
  const results = await Promise.all(
    HOSTILE_URLS.map((url) => sender.send({ url: url.replace('PORT', HTTPS_PORT), headers: {}, body: '{}' })),
  );
  const refused: Record<string, number> = {};
  for (const result of results) {
    const reason = result.ok ? 'sent' : result.reason;
    refused[reason] = (refused[reason] ?? 0) + 1;
  }
  return refused;
}

let refused: Observed['refused'] = {};
const rebound: (string | null)[] = [];
const whenRefused = await counting(async () => {
  refused = await sendAll('');
  const guard = webhookGuard(parseWebhookAllow('SVC_WEBHOOK_ALLOW', ''));
  const url = 'https://rebound.hostile.example/';
  rebound.push(await refuseNow(url, guard, systemLookup));
  const sent = await createGuardedSender({ guard }).send({ url, headers: {}, body: '{}' });
  rebound.push(sent.ok ? 'sent' : sent.reason);
});
// Nobody answers here: what is tried has no need to wait long.
const whenAllowed = await counting(async () => void (await sendAll('0.0.0.0/0 ::/0 http', { connectMsMax: 200 })));
await dns.close();
const observed: Observed = { refused, whenRefused, rebound, whenAllowed };
process.stdout.write(JSON.stringify(observed));
