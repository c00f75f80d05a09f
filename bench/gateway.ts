// Runs the gateway in its own process, without the ledger: the cost of a proxied call on the gateway thread.
import { ONE_NODE } from '../src/storage/records/nodes.ts';
import { LIMITS } from '../src/config.ts';
import type { CommitCallback, Journal } from '../src/journal/journal.ts';
import { openJournal } from '../src/journal/open-journal.ts';
import { WindowClock } from '../src/limits/window-clock.ts';
import { LimitsEngine } from '../src/limits/limits.ts';
import { systemClock, systemUptime } from '../src/lib/clock.ts';
import { createIdSource } from '../src/lib/crypto/id.ts';
import { silentLog } from '../src/lib/log.ts';
import { createPriceBook } from '../src/prices/price-book.ts';
import { buildProviders } from '../src/providers/providers.ts';
import { compileForCalls } from '../src/gateway/proxy/compiled-code.ts';
import { openGatewayServer } from '../src/gateway/server.ts';
import { KeyRing } from '../src/gateway/proxy/keys.ts';
import { benchKeys, benchLimits, benchSessionLimits } from './keys-and-limits.ts';

export interface GatewaySettings {
  readonly port: number;
  readonly upstreamUrl: string;
  readonly journal: 'off' | 'normal' | 'full';
  readonly folder: string;
  /** Wrapped keys. */
  readonly keys: number;
  /** Each key has its own limit, in addition to four that match every call. */
  readonly limits: boolean;
  /** Two more limits: on each session and on each agent. */
  readonly sessions?: boolean;
}

compileForCalls();
const settings = JSON.parse(process.argv[2] ?? '') as GatewaySettings;

const journal = settings.journal === 'off' ? noJournal() : openLog(settings.folder, settings.journal);
journal.shipped(0);
const keys = new KeyRing();
keys.load(benchKeys(settings.keys), []);
const ledger: LimitsEngine = new LimitsEngine({
  crossed: () => {},
  overran: () => {},
  asksAgents: ({ question, agents }) =>
    setImmediate(() =>
      ledger.agents.answer(
        question,
        agents.map((agent) => ({ agent, parents: [] })),
      ),
    ),
  asks: ({ question, places }) =>
    setImmediate(() =>
      ledger.receiveCounters(
        question,
        places.map((place) => ({ ...place, counted: 0, uncertain: 0 })),
        now(),
      ),
    ),
});
const { now } = new WindowClock({ wall: systemClock, uptime: systemUptime, from: 0, stepped: () => {} });
if (settings.limits)
  ledger.load([...benchLimits(settings.keys), ...(settings.sessions ? benchSessionLimits() : [])], [], now());
const gateway = openGatewayServer({
  journal,
  providers: buildProviders({ urls: { anthropic: settings.upstreamUrl }, custom: [] }),
  prices: createPriceBook(),
  keys,
  engine: ledger,
  now,
  trustedProxies: [],
  baseUrl: 'http://localhost',
  hosts: { refusal: () => null },
  callsPerKeyMax: LIMITS.callsPerKeyMax,
  connectionsPerAddressMax: LIMITS.connectionsPerAddressMax,
  clock: systemClock,
  uptime: systemUptime,
  log: silentLog,
  newCallId: createIdSource('call', systemClock),
  baggageTags: false,
  webSocket: null,
  shippedMark: () => 0,
  ledgerProblem: () => null,
  deliveriesWaiting: () => 0,
  nodes: () => ONE_NODE,
  exported: () => null,
  listedNodes: () => [],
  connections: () => [],
  raise: () => {},
  ended: () => {},
  refused: () => {},
});
gateway.server.listen(settings.port, '127.0.0.1');

function openLog(folder: string, sync: 'normal' | 'full'): Journal {
  return openJournal({ folder, sync, clock: systemClock, onProblem: reportProblem });
}

/** Agrees to everything and keeps nothing: shows what the journal adds. */
function noJournal(): Journal {
  const agree = (committed: CommitCallback) => queueMicrotask(() => committed(null));
  return {
    journalId: 'none',
    endSeq: 0,
    problem: null,
    lostRefusals: 0,
    begin(call, committed) {
      agree(committed);
      return call;
    },
    end: (_call, _end, committed) => agree(committed),
    note() {},
    refuse: (_call, done) => queueMicrotask(done),
    shipped() {},
    close() {},
  };
}

function reportProblem(problem: string | null): void {
  if (problem !== null) process.stderr.write(`${problem}\n`);
}
