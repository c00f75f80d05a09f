import type { LimitSnapshot, LimitToBook } from '../../src/book/limit-messages.ts';
import type { CallBegin, CallEnd } from '../../src/core/call.ts';
import { boundsOf } from '../../src/core/hold.ts';
import { OPEN_POLICY } from '../../src/core/policy.ts';
import { type Observed, settleCall } from '../../src/core/settle.ts';
import type { Usage } from '../../src/core/usage.ts';
import { GateLedger } from '../../src/gate-ledger.ts';
import type { OpenCall } from '../../src/journal/call-file.ts';
import { TurnJournal } from '../../src/journal/turn-journal.ts';
import type { Blocked } from '../../src/ledger/blocked.ts';
import { Hold } from '../../src/ledger/hold.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { scaled } from '../../src/ledger/overruns.ts';
import type { Subject } from '../../src/ledger/scopes.ts';
import { WAIT_MS_MAX, type Waiter } from '../../src/ledger/waiting-room.ts';
import type { ToGate } from './book.ts';
import { Dice } from './dice.ts';
import { type Disk, SimulatedFile } from './disk.ts';
import { cardFor, drawRequest, pricedAs, PROVIDER, ProvidedCall, type Request } from './provider.ts';
import type { SimulatedTime } from './time.ts';
import { type Change, type Truth, WORKSPACES } from './truth.ts';
import { TrueCall } from './true-call.ts';
import { must } from './violation.ts';

/** Where a bug can be planted, to see whether it is found. */
export interface Wiring {
  readonly boundsOf: typeof boundsOf;
  readonly settleCall: typeof settleCall;
  /** The journal's begin as it is written. */
  readonly written: (begin: CallBegin) => CallBegin;
  /** What the gate does with its ledger, once it has one. */
  readonly rewire: (ledger: Ledger) => void;
  readonly clock: (now: () => number) => () => number;
  /** Settles without waiting for the disk. */
  readonly settlesEarly: boolean;
  readonly forgetsAdoption: boolean;
  readonly installsAnyTime: boolean;
}

export const AS_IT_IS: Wiring = {
  boundsOf,
  settleCall,
  written: (begin) => begin,
  rewire: () => {},
  clock: (now) => now,
  settlesEarly: false,
  forgetsAdoption: false,
  installsAnyTime: false,
};

export interface GateParts {
  readonly disk: Disk;
  readonly time: SimulatedTime;
  readonly truth: Truth;
  readonly wiring: Wiring;
  readonly died: () => void;
  readonly send: (message: LimitToBook) => void;
  readonly newCallId: () => string;
}

/** A call as the gate has it. */
interface GateCall {
  readonly truth: TrueCall;
  readonly hold: Hold;
  readonly begin: CallBegin;
  readonly fate: Dice;
  journaled: OpenCall | null;
  state: 'beginning' | 'sent' | 'ending';
}

/** How a call is over. */
const MANNERS = {
  complete: 10,
  without_usage: 1,
  failed: 1,
  error_event: 1,
  reset: 1,
  timeout: 1,
  unreadable: 1,
  truncated: 1,
  client_left: 2,
} as const;

const NOTHING_SEEN: Omit<Observed, 'endedAt'> = {
  status: 0,
  stopped: null,
  complete: false,
  errored: false,
  usage: null,
  outputBytes: 0,
  bodyBytes: 0,
  model: null,
  requestId: null,
  responseId: null,
  firstByteMs: null,
};

/** The gate of one process: the real ledger, journal and arithmetic, put together as the proxy does. */
export class Gate {
  readonly journal: TurnJournal;
  readonly ledger: Ledger;
  readonly now: () => number;
  isDead = false;
  readonly #parts: GateParts;
  readonly #limits: GateLedger;
  readonly #calls = new Set<GateCall>();
  readonly #waiters = new Map<Waiter, Request>();
  /** Ended calls whose end the disk could not take yet. */
  #unsettled: { readonly call: GateCall; readonly end: CallEnd }[] = [];
  readonly #changes = new WeakMap<object, readonly Change[]>();

  constructor(parts: GateParts, journal: TurnJournal, snapshot: LimitSnapshot) {
    const { time, truth, wiring, send } = parts;
    this.#parts = parts;
    this.journal = journal;
    truth.loaded(snapshot.limits);
    this.#limits = new GateLedger({
      snapshot,
      wall: () => time.wall,
      uptime: () => time.uptime,
      journal,
      send,
      raise: () => {},
      mainWorkspace: WORKSPACES[0],
      scheduler: time,
    });
    this.ledger = this.#limits.ledger;
    this.now = wiring.clock(this.#limits.now);
    wiring.rewire(this.ledger);
    this.#watch(this.ledger);
  }

  static openJournal({ disk, time, died }: GateParts): TurnJournal {
    return new TurnJournal(new SimulatedFile(disk, died), {
      openCallsMax: 1_000,
      onTrouble: () => {},
      scheduler: time,
    });
  }

  /** No call is under way, waits or is settled late. */
  get isIdle(): boolean {
    return this.#calls.size === 0 && this.#waiters.size === 0 && this.isAtRest;
  }

  /** Changes of limits are not kept waiting. */
  get isAtRest(): boolean {
    return this.journal.trouble === null && this.ledger.endsOnTheirWay === 0;
  }

  /** Calls that a dead process left open are ended, and limits without a past are told. */
  open(): void {
    const { truth, wiring } = this.#parts;
    this.journal.recover((begin, early) => {
      const seen: Observed = { ...NOTHING_SEEN, stopped: 'crash', usage: early, endedAt: this.now() };
      const settled = wiring.settleCall(begin, seen, cardFor);
      const call = truth.calls.get(begin.callId);
      must(call !== undefined && call.state !== 'gone', () => `4: ${begin.callId} is recovered and never was`);
      const adopted = truth.adoptedLate(call, this.now());
      const end = this.#limits.recover(begin, pricedAs(begin.askedModel ?? ''), settled);
      if (call.isShipped) truth.lostAgain(call, end, adopted);
      else truth.lost(call, end, adopted);
      return wiring.forgetsAdoption ? settled : end;
    });
    if (!this.isDead) this.#limits.open();
  }

  hear({ message, changes }: ToGate): void {
    if (message.type === 'limit-past') this.#changes.set(message.counters, changes);
    if (message.type === 'counters-moved') this.#changes.set(message.moves, changes);
    this.#limits.hear(message);
  }

  /** A client asks. */
  arrive(dice: Dice): void {
    if (this.journal.trouble !== null && dice.chance(0.9)) return;
    const { wiring } = this.#parts;
    const request = drawRequest(dice);
    const subject = drawSubject(dice, request);
    const models = [{ cards: [cardFor(request.model)].filter((card) => card !== null), outputMax: null }];
    const { hold: bound } = wiring.boundsOf(request.demand, models, OPEN_POLICY);
    const need = scaled(bound, this.ledger.overruns.ratio(subject));
    const now = this.now();
    const outcome = this.ledger.admit(subject, this.ledger.find(subject, now), need, now);
    const fate = new Dice(dice.whole(0, 2 ** 30));
    if (outcome instanceof Hold) return this.#begin(outcome, request, fate);
    this.#refused(subject, need, outcome);
    if (outcome.reason === 'in_flight') this.#wait(subject, need, outcome, request, fate);
  }

  /** A provider works on one of its calls. */
  progress(dice: Dice): void {
    const call = this.#pickSent(dice);
    const provided = call?.truth.provided;
    if (!call || !provided) return;
    provided.work(dice.next());
    if (call.journaled && dice.chance(0.5)) this.journal.note(call.journaled, provided.usage(1));
  }

  /** One of the calls under way is over. */
  finish(dice: Dice): void {
    const call = this.#pickSent(dice);
    if (call) this.#end(call, this.#answer(call, dice));
  }

  /** Whoever waited leaves. */
  cancel(dice: Dice): void {
    const waiter = dice.pick([...this.#waiters.keys()]);
    if (!waiter) return;
    this.#waiters.delete(waiter);
    this.ledger.cancel(waiter);
  }

  /** What the gate does every so often. */
  sweep(): void {
    const { time, truth } = this.#parts;
    const now = this.now();
    this.ledger.sweep(now, time.uptime);
    if (this.journal.trouble === null) {
      const unsettled = this.#unsettled;
      this.#unsettled = [];
      for (const { call, end } of unsettled) this.#settle(call, end);
    }
    for (const { subject, need } of this.#waiters.keys())
      must(!truth.isKeptWaiting(subject, need, now), () => '9: a call waits that fits, and nothing is under way');
  }

  #pickSent(dice: Dice): GateCall | undefined {
    return dice.pick([...this.#calls].filter(({ state }) => state === 'sent'));
  }

  #refused(subject: Subject, need: Waiter['need'], { reason }: Blocked): void {
    this.#parts.truth.refused(subject, need, this.now(), reason, this.ledger.waiting);
  }

  #wait(subject: Subject, need: Waiter['need'], blocked: Blocked, request: Request, fate: Dice): void {
    const waiter: Waiter = {
      subject,
      need,
      until: this.#parts.time.uptime + WAIT_MS_MAX,
      admitted: (hold) => {
        this.#waiters.delete(waiter);
        this.#begin(hold, request, fate);
      },
      refused: (still) => {
        this.#waiters.delete(waiter);
        if (still.reason !== 'in_flight') this.#refused(subject, need, still);
      },
    };
    if (this.ledger.wait(waiter, blocked)) this.#waiters.set(waiter, request);
  }

  #begin(hold: Hold, request: Request, fate: Dice): void {
    const { truth, wiring, newCallId } = this.#parts;
    const call = new TrueCall(newCallId(), hold.subject, request, hold.need, hold.beganAt);
    truth.admitted(call);
    truth.begins(call);
    const begin = wiring.written(beginOf(call, hold));
    const gateCall: GateCall = { truth: call, hold, begin, fate, journaled: null, state: 'beginning' };
    this.#calls.add(gateCall);
    gateCall.journaled = this.journal.begin(begin, (failure) => {
      if (this.isDead) return;
      if (!failure) return this.#send(gateCall);
      this.#calls.delete(gateCall);
      truth.released(call);
      this.ledger.release(hold, this.now());
    });
  }

  #send(call: GateCall): void {
    const { disk } = this.#parts;
    const { truth, fate } = call;
    must(disk.rows(truth.id).length > 0, () => `4: ${truth.id} is sent before its begin is durable`);
    call.state = 'sent';
    if (fate.chance(0.05)) return this.#end(call, { ...NOTHING_SEEN, stopped: 'not_sent', endedAt: this.now() });
    truth.provided = new ProvidedCall(fate, truth.request, fate.chance(0.02));
  }

  /** What the gate sees of an answer that is over; the provider has done all, part or nothing of its work. */
  #answer({ truth: { provided, request } }: GateCall, dice: Dice): Observed {
    const bodyBytes = request.demand.textBytes;
    const seen: Observed = { ...NOTHING_SEEN, status: 200, endedAt: this.now(), bodyBytes };
    const manner = dice.weighed(MANNERS);
    provided?.work(manner === 'complete' || manner === 'without_usage' ? 1 : dice.next());
    const usage: Usage | null = provided?.usage() ?? null;
    switch (manner) {
      case 'complete':
        return { ...seen, complete: true, usage };
      case 'without_usage':
        return { ...seen, complete: true };
      case 'failed':
        provided?.refuse();
        return { ...seen, status: 529 };
      case 'error_event':
        return { ...seen, errored: true };
      case 'truncated':
        return seen;
      case 'client_left':
        return { ...seen, stopped: manner, outputBytes: dice.whole(0, 500) };
      default:
        return { ...seen, stopped: manner };
    }
  }

  #end(call: GateCall, seen: Observed): void {
    const { truth, wiring } = this.#parts;
    const settled = wiring.settleCall(call.begin, seen, cardFor);
    const adopted = call.hold.adoptedTouches();
    const end = adopted && !wiring.forgetsAdoption ? { ...settled, adopted } : settled;
    call.state = 'ending';
    truth.ends(call.truth, end);
    if (!wiring.installsAnyTime) this.ledger.ending(call.hold);
    if (!call.journaled) throw new Error(`${call.truth.id} ends before it began`);
    this.journal.end(call.journaled, end, (failure) => {
      if (this.isDead) return;
      if (failure) this.#unsettled.push({ call, end });
      else this.#settle(call, end);
    });
    if (wiring.settlesEarly) this.#settle(call, end);
  }

  #settle(call: GateCall, end: CallEnd): void {
    const { truth, disk } = this.#parts;
    if (!this.#calls.delete(call)) return;
    const isDurable = call.truth.isShipped || disk.rows(call.truth.id).some(({ seq }) => seq > 0);
    must(isDurable, () => `6: ${call.truth.id} is settled before its end is durable`);
    truth.settled(call.truth);
    this.ledger.settle(call.hold, end, this.now());
  }

  /** What the book says is so from the moment at which the ledger takes it. */
  #watch(ledger: Ledger): void {
    const { truth } = this.#parts;
    const { put, remove, addPast, move } = ledger;
    ledger.put = (limit, now) => {
      if (!this.isDead) truth.put(limit, now);
      return put.call(ledger, limit, now);
    };
    ledger.remove = (id, now) => {
      if (!this.isDead) truth.removed(id);
      remove.call(ledger, id, now);
    };
    ledger.addPast = (counter, states, now) => {
      const changes = this.#changes.get(states);
      if (changes && !this.isDead) truth.pastTold(counter, changes);
      addPast.call(ledger, counter, states, now);
    };
    ledger.move = (moves, now) => {
      if (!this.isDead) truth.moved(this.#changes.get(moves) ?? []);
      move.call(ledger, moves, now);
    };
  }
}

function beginOf({ id, subject, request, need, beganAt }: TrueCall, hold: Hold): CallBegin {
  const { workspaceId, keyId, provider, tags } = subject;
  return {
    callId: id,
    workspaceId,
    keyId,
    provider,
    operation: 'messages',
    askedModel: request.model,
    stream: true,
    tags,
    sessionHash: null,
    beganAt,
    hold: need,
    touched: hold.touches(),
  };
}

const TEAMS = ['red', 'blue', null] as const;

function drawSubject(dice: Dice, { model }: Request): Subject {
  const team = dice.pick(TEAMS);
  return {
    workspaceId: dice.chance(0.9) ? WORKSPACES[0] : WORKSPACES[1],
    keyId: dice.pick(['key_a', 'key_b']),
    provider: PROVIDER,
    model,
    pricedModel: pricedAs(model),
    tags: team === null ? {} : { team },
  };
}
