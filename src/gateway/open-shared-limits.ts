import type { LeaseStart } from '../ipc/lease-messages.ts';
import type { Journal } from '../journal/journal.ts';
import { type Clock, sleeplessUptime, systemScheduler, systemUptime } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { LedgerClient } from './ledger-client.ts';
import type { LimitsSync } from './limits-sync.ts';
import { SharedLimits } from './shared-limits.ts';

interface OpenSharedOptions {
  readonly lease: LeaseStart;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
  readonly send: LedgerClient['send'];
  /** The limits that are shared; null = they are being opened. */
  readonly limits: () => LimitsSync | null;
}

/** Opens the limits that this gateway shares with others, with the clocks and timers of the system. */
export function openSharedLimits({ lease, journal, clock, log, send, limits }: OpenSharedOptions): SharedLimits {
  const trouble = new LeaseTrouble(log);
  return new SharedLimits({
    ...lease,
    send,
    uptime: systemUptime,
    leaseUptime: sleeplessUptime(systemUptime, clock),
    scheduler: systemScheduler,
    retry() {
      const opened = limits();
      opened?.engine.retryWaiting(opened.now());
    },
    places() {
      const opened = limits();
      return opened?.engine.sharedPlaces(opened.now()) ?? [].values();
    },
    held: () => limits()?.engine.heldCounters() ?? new Set(),
    position: () => journal.endSeq,
    onTrouble: (error) => trouble.note(error),
  });
}

/** Logs the begin and the end of trouble: the exchanges are tried again all the time. */
class LeaseTrouble {
  readonly #log: Log;
  #lasts = false;

  constructor(log: Log) {
    this.#log = log;
  }

  note(error: unknown): void {
    if (this.#lasts === (error !== null)) return;
    this.#lasts = error !== null;
    if (error === null) this.#log.info('limits are shared with other nodes again');
    else this.#log.warn({ err: error }, 'limits are not shared for now; calls go on from what was granted');
  }
}
