// The gate in a process of its own, without the book: what a proxied call costs on the gate thread.
import { LIMITS } from '../src/config.ts';
import type { Committed, Journal } from '../src/journal/journal.ts';
import { openJournal } from '../src/journal/log-journal.ts';
import { Ledger } from '../src/ledger/ledger.ts';
import { hashSecret } from '../src/lib/cipher.ts';
import { systemClock, systemUptime } from '../src/lib/clock.ts';
import { createIdSource } from '../src/lib/id.ts';
import { silentLog } from '../src/lib/log.ts';
import { createPriceBook } from '../src/prices/price-book.ts';
import { buildProviders } from '../src/providers/providers.ts';
import { openGate } from '../src/proxy/gate.ts';
import { KeyRing } from '../src/proxy/keys.ts';
import { OPEN_POLICY } from '../src/core/policy.ts';

const [port, upstreamUrl = '', secret = '', sync, folder = ''] = process.argv.slice(2);
const keepMs = LIMITS.journalKeepMs;

const journal =
  sync === 'normal' || sync === 'full'
    ? openJournal({ folder, sync, clock: systemClock, onTrouble: reportTrouble, limits: { keepMs } })
    : noJournal();
journal.shipped(0);
const keys = new KeyRing();
const gate = openGate({
  journal,
  providers: buildProviders({ urls: { anthropic: upstreamUrl }, custom: [] }),
  prices: createPriceBook(),
  keys,
  ledger: new Ledger({ crossed: () => {}, overran: () => {} }),
  now: systemClock,
  exhausted: () => {},
  trustedProxies: [],
  clock: systemClock,
  uptime: systemUptime,
  log: silentLog,
  newCallId: createIdSource('call', systemClock),
  baggageTags: false,
  webSocket: null,
  shippedMark: () => 0,
  bookTrouble: () => null,
  ended: () => {},
});
const key = {
  id: 'key_bench',
  hash: hashSecret(secret),
  workspaceId: 'ws_default',
  provider: 'anthropic',
  name: 'bench',
  tags: { team: 'bench' },
  expiresAt: null,
  revokedAt: null,
  policy: OPEN_POLICY,
  providerKey: 'sk-ant-bench',
};
keys.load([key], []);
gate.server.listen(Number(port), '127.0.0.1');

/** Agrees to everything and keeps nothing: shows what the journal adds. */
function noJournal(): Journal {
  const agree = (committed: Committed) => queueMicrotask(() => committed(null));
  return {
    journalId: 'none',
    endSeq: 0,
    trouble: null,
    begin(call, committed) {
      agree(committed);
      return call;
    },
    end: (_call, _end, committed) => agree(committed),
    note() {},
    shipped() {},
    close() {},
  };
}

function reportTrouble(trouble: string | null): void {
  if (trouble !== null) process.stderr.write(`${trouble}\n`);
}
