import { LIMITS } from '../../config.ts';
import { MINUTE_MS } from '../../domain/time/units.ts';
import { NO_CONTEXT } from '../../domain/usage/call-context.ts';
import type { RefusedCall } from '../../domain/usage/refused-call.ts';
import type { Journal } from '../../journal/journal.ts';
import { type Clock, type Scheduler, systemScheduler } from '../../lib/clock.ts';
import type { RefusedUnderLimit } from '../../limits/refusal-errors.ts';
import type { InferenceRequest } from './proxy-request.ts';

/** Interval at which sums are written. A crash loses at most the sums of this time. */
const SUM_MS = 1_000;
/** Sums in memory; with more, all are written. */
const SUMS_MAX = 1_000;
/** Longest model name that a record keeps. */
const MODEL_CHARS_MAX = 512;

export interface RefusalLogDeps {
  readonly journal: Pick<Journal, 'refuse'>;
  /** Window time. */
  readonly now: Clock;
  /** Ids of one source ascend. */
  readonly newCallId: () => string;
  /** Runs after calls were handed to the journal. */
  readonly written: () => void;
  /** Default: those of `LIMITS`. */
  readonly rates?: Readonly<Record<'refusalsPerKeyPerMinute' | 'refusalsPerMinute', number>>;
  /** Default: the system's. */
  readonly scheduler?: Scheduler;
}

type RefusedRequest = Pick<InferenceRequest, 'id' | 'key' | 'provider' | 'facts' | 'tagReading' | 'contextReading'>;

/**
 * Writes calls that limits refused into the journal before they are answered. Up to a rate each call has its own
 * record; above it, calls of one minute with the same key, limit and reason are a sum. None is dropped.
 */
export class RefusalLog {
  readonly #deps: RefusalLogDeps;
  readonly #scheduler: Scheduler;
  #minute = 0;
  /** Records of this minute: of each key, and of all. */
  readonly #recordsByKey = new Map<string, number>();
  #records = 0;
  #sums = new Map<string, RefusedCall>();
  #isScheduled = false;

  constructor(deps: RefusalLogDeps) {
    this.#deps = deps;
    this.#scheduler = deps.scheduler ?? systemScheduler;
  }

  /** Writes a refused call. `done` runs once its record is durable, or could not be written, or it is part of a sum. */
  add(request: RefusedRequest, refused: RefusedUnderLimit, done: () => void): void {
    const at = this.#deps.now();
    if (!this.#mayRecord(request.key.id, at)) {
      this.#addToSum(request, refused);
      return done();
    }
    const { facts, tagReading, contextReading } = request;
    const { value, left } = refused.standing;
    const call = {
      ...toRefusedCallBase(request, refused),
      at,
      model: facts.model.slice(0, MODEL_CHARS_MAX),
      value: value === '' ? null : value,
      needed: storable(refused.need),
      left: storable(left),
      tags: tagReading.tags,
      sessionHash: contextReading.sessionHash,
      context: contextReading.context,
    };
    this.#deps.journal.refuse(call, done);
    this.#deps.written();
  }

  /** Writes the sums that wait. */
  flush(): void {
    if (this.#sums.size === 0) return;
    const sums = this.#sums;
    this.#sums = new Map();
    // The ledger recognizes parts of a sum by ascending ids. Those of its calls don't ascend: a call may wait.
    for (const sum of sums.values()) this.#deps.journal.refuse({ ...sum, callId: this.#deps.newCallId() }, noCallback);
    this.#deps.written();
  }

  /** Reports whether a call of a key has its own record, and counts it. */
  #mayRecord(keyId: string, at: number): boolean {
    const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#recordsByKey.clear();
      this.#records = 0;
    }
    const { refusalsPerKeyPerMinute, refusalsPerMinute } = this.#deps.rates ?? LIMITS;
    const records = this.#recordsByKey.get(keyId) ?? 0;
    if (records >= refusalsPerKeyPerMinute || this.#records >= refusalsPerMinute) return false;
    this.#recordsByKey.set(keyId, records + 1);
    this.#records += 1;
    return true;
  }

  #addToSum(request: RefusedRequest, refused: RefusedUnderLimit): void {
    const { key } = request;
    const name = `${this.#minute} ${key.id} ${refused.standing.limit.id} ${refused.reason}`;
    const known = this.#sums.get(name);
    if (!known && this.#sums.size >= SUMS_MAX) this.flush();
    this.#sums.set(
      name,
      known
        ? { ...known, calls: known.calls + 1 }
        : { ...toRefusedCallBase(request, refused), ...NO_DETAILS, at: this.#minute },
    );
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#scheduler.later(() => {
      this.#isScheduled = false;
      this.flush();
    }, SUM_MS);
  }
}

function noCallback(): void {}

const NO_DETAILS = {
  isSum: true,
  model: null,
  value: null,
  needed: null,
  left: null,
  tags: {},
  sessionHash: null,
  context: NO_CONTEXT,
} as const;

function toRefusedCallBase({ id, key, provider }: RefusedRequest, { standing: { limit }, reason }: RefusedUnderLimit) {
  return {
    callId: id,
    isSum: false,
    calls: 1,
    workspaceId: key.workspaceId,
    keyId: key.id,
    provider: provider.id,
    limitId: limit.id,
    unit: limit.unit,
    reason,
  };
}

/** Returns an amount that the ledger can store; null = it is too large to be exact. */
function storable(amount: number | null): number | null {
  return amount !== null && Number.isSafeInteger(amount) ? amount : null;
}
