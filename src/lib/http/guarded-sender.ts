import { GuardedExchange, type SendLimits, type SendRequest, type SendResult } from './guarded-exchange.ts';
import { type AddressGuard, type HostLookup, systemLookup } from './guarded-lookup.ts';
import { FairLanes } from '../concurrency/lanes.ts';
import { type Scheduler, systemScheduler } from '../clock.ts';

const SEND_LIMITS: SendLimits = {
  connectMsMax: 10_000,
  totalMsMax: 15_000,
  headerBytesMax: 16_384,
  bodyBytesMax: 65_536,
  keptBytesMax: 4_096,
  underWayMax: 32,
  perHostMax: 4,
  waitingMax: 1_000,
};

export interface GuardedSenderOptions {
  readonly guard: AddressGuard;
  /** Default: as every program on this machine would. */
  readonly lookup?: HostLookup;
  /** Default: `SEND_LIMITS`. */
  readonly limits?: Partial<SendLimits>;
  /** Certificates to trust instead of Node's. */
  readonly ca?: string;
  /** Default: the system's timers. */
  readonly scheduler?: Scheduler;
}

export interface GuardedSender {
  /** Never rejects for what happens on the network. */
  send(request: SendRequest): Promise<SendResult>;
  /** Turns away who waits, and ends when the last answer is there or its time is over. */
  close(): Promise<void>;
}

/**
 * The only way to send something to an address that a user gave. Each request has a separate connection, made to an
 * address that was checked for it: nothing is kept between two of them, and no proxy of the environment is used.
 */
export function createGuardedSender(options: GuardedSenderOptions): GuardedSender {
  const limits = { ...SEND_LIMITS, ...options.limits };
  const { guard, lookup = systemLookup, scheduler = systemScheduler, ca } = options;
  const lanes = new FairLanes({
    totalMax: limits.underWayMax,
    perNameMax: limits.perHostMax,
    waitingMax: limits.waitingMax,
  });
  const underWay = new Set<Promise<SendResult>>();

  async function exchange(url: URL, request: SendRequest): Promise<SendResult> {
    const running = new GuardedExchange(url, request, { guard, lookup, scheduler, ca, limits }).run();
    underWay.add(running);
    try {
      return await running;
    } finally {
      underWay.delete(running);
      lanes.leave(url.host);
    }
  }

  return {
    async send(request) {
      const refusal = guard.refuseUrl(request.url);
      if (refusal !== null) return { ok: false, reason: 'blocked', message: refusal, status: null };
      const url = new URL(request.url);
      const turn = await lanes.enter(url.host);
      if (turn === 'go') return exchange(url, request);
      return turn === 'full'
        ? { ok: false, reason: 'busy', message: `${limits.waitingMax} messages are waiting already.`, status: null }
        : { ok: false, reason: 'closed', message: 'Nothing more is sent: the service is closing.', status: null };
    },
    async close() {
      lanes.close();
      await Promise.allSettled(underWay);
    },
  };
}
