import { NO_CONTEXT } from '../../src/domain/usage/call-context.ts';
import type { LimitMessageToGateway, LimitMessageToLedger, LimitSnapshot } from '../../src/ipc/messages.ts';
import type { CallBegin, CallEnd } from '../../src/domain/usage/call.ts';
import type { Alert } from '../../src/domain/alerts/alert.ts';
import type { RequestDemand } from '../../src/domain/limits/demand.ts';
import { type ObservedResponse, settleCall } from '../../src/domain/usage/settle.ts';
import type { Usage } from '../../src/domain/usage/usage.ts';
import { LimitsSync } from '../../src/gateway/limits-sync.ts';
import type { OpenCall } from '../../src/journal/call-file.ts';
import { TurnJournal } from '../../src/journal/turn-journal.ts';
import type { Hold } from '../../src/limits/hold.ts';
import type { InferenceRequest } from '../../src/gateway/proxy/proxy-request.ts';
import { RefusalLog } from '../../src/gateway/proxy/refusal-log.ts';
import type { RefusedUnderLimit } from '../../src/limits/refusal-errors.ts';
import type { LimitSubject } from '../../src/limits/scope-index.ts';
import type { LimitsEngine } from '../../src/limits/limits.ts';
import type { LedgerMessage } from './ledger.ts';
import { SimulatedClients, type AdmittedRequest } from './clients.ts';
import type { Dice } from './dice.ts';
import { type Disk, SimulatedFile } from './disk.ts';
import { cardFor, pricedAs, ProvidedCall } from './provider.ts';
import type { SimulatedTime } from './time.ts';
import type { Change } from './changes.ts';
import { type Truth, WORKSPACES } from './truth.ts';
import { placeKey, TrueCall } from './true-call.ts';
import { must } from './violation.ts';

/** Where a bug can be planted, to see whether it is found. */
export interface Wiring {
  /** What a provider part reads out of a request. */
  readonly reads: (demand: RequestDemand) => RequestDemand;
  readonly settleCall: typeof settleCall;
  /** The journal's begin as it is written. */
  readonly written: (begin: CallBegin) => CallBegin;
  /** What the gate does with its ledger, once it has one. */
  readonly rewire: (ledger: LimitsEngine) => void;
  readonly clock: (now: () => number, wall: () => number) => () => number;
  /** Settles without waiting for the disk. */
  readonly settlesEarly: boolean;
  /** Ids of sums of refused calls. */
  readonly sumId: (newCallId: () => string) => string;
  readonly forgetsAdoption: boolean;
  readonly installsAnyTime: boolean;
  /** The book's mark goes on though its transaction failed. */
  readonly marksEarly: boolean;
  /** What the gate says to the book. */
  readonly sends: (message: LimitMessageToLedger) => LimitMessageToLedger;
  /** Does the gate hear what the book says? */
  readonly receives: (message: LimitMessageToGateway) => boolean;
}

export const AS_IT_IS: Wiring = {
  reads: (demand) => demand,
  settleCall,
  written: (begin) => begin,
  rewire: () => {},
  clock: (now) => now,
  settlesEarly: false,
  sumId: (newCallId) => newCallId(),
  forgetsAdoption: false,
  installsAnyTime: false,
  marksEarly: false,
  sends: (message) => message,
  receives: () => true,
};

export interface SimulatedGatewayParts {
  readonly disk: Disk;
  readonly time: SimulatedTime;
  readonly truth: Truth;
  readonly wiring: Wiring;
  readonly openCallsMax: number;
  /** On-demand counters in memory. */
  readonly onDemandMax: number;
  readonly isAboutAgents: boolean;
  readonly shippedMark: () => number;
  readonly died: () => void;
  readonly send: (message: LimitMessageToLedger) => void;
  readonly raise: (alert: Alert) => void;
  readonly newCallId: () => string;
}

/** A call as the gate has it. */
interface SimulatedCall {
  readonly truth: TrueCall;
  readonly hold: Hold;
  readonly begin: CallBegin;
  readonly leaving: AdmittedRequest;
  journaled: OpenCall | null;
  state: 'beginning' | 'sent' | 'ending';
}

/** Low, so that some refused calls are summed. */
const REFUSAL_RATES = { refusalsPerKeyPerMinute: 2, refusalsPerMinute: 1_000 };
/** Sessions that nobody uses for so long are dropped from memory. */
const IDLE_MS = 2_000;

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

const NOTHING_SEEN: Omit<ObservedResponse, 'endedAt'> = {
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
export class SimulatedGateway {
  readonly journal: TurnJournal;
  readonly engine: LimitsEngine;
  readonly now: () => number;
  isDead = false;
  readonly #parts: SimulatedGatewayParts;
  readonly #limits: LimitsSync;
  readonly clients: SimulatedClients;
  readonly refusals: RefusalLog;
  readonly #calls = new Set<SimulatedCall>();
  /** Ended calls whose end the disk could not take yet. */
  #unsettled: { readonly call: SimulatedCall; readonly end: CallEnd }[] = [];
  readonly #changes = new WeakMap<object, readonly Change[]>();

  constructor(parts: SimulatedGatewayParts, journal: TurnJournal, snapshot: LimitSnapshot) {
    const { time, truth, wiring, shippedMark, onDemandMax, send, raise } = parts;
    this.#parts = parts;
    this.journal = journal;
    truth.loaded(snapshot);
    this.#limits = new LimitsSync({
      snapshot,
      wall: () => time.wall,
      uptime: () => time.uptime,
      journal,
      shippedMark,
      onDemandMax,
      idleMs: IDLE_MS,
      send: (message) => send(wiring.sends(message)),
      raise: (alert) => this.isDead || raise(alert),
      over: () => {},
      mainWorkspace: WORKSPACES[0],
      scheduler: time,
    });
    this.engine = this.#limits.engine;
    this.now = wiring.clock(this.#limits.now, () => time.wall);
    wiring.rewire(this.engine);
    this.#watch(this.engine);
    this.clients = new SimulatedClients({
      engine: this.engine,
      now: this.now,
      time,
      truth,
      isAboutAgents: parts.isAboutAgents,
      reads: wiring.reads,
      leaves: (leaving) => this.#begin(leaving),
      newCallId: parts.newCallId,
      refuses: (callId, subject, refused) => this.#refuse(callId, subject, refused),
    });
    this.refusals = new RefusalLog({
      journal: {
        refuse(call, done) {
          truth.refusals.handed(call);
          journal.refuse(call, done);
        },
      },
      now: this.now,
      newCallId: () => wiring.sumId(parts.newCallId),
      written: () => {},
      rates: REFUSAL_RATES,
      scheduler: time,
    });
  }

  static openJournal({ disk, time, died, openCallsMax }: SimulatedGatewayParts): TurnJournal {
    return new TurnJournal(new SimulatedFile(disk, died), {
      openCallsMax,
      onProblem: () => {},
      scheduler: time,
    });
  }

  /** No call is under way, waits or is settled late. */
  get isIdle(): boolean {
    return this.#calls.size === 0 && !this.clients.areWaiting && this.isAtRest;
  }

  /** Changes of limits are not kept waiting. */
  get isAtRest(): boolean {
    return this.journal.problem === null && this.engine.pendingEnds === 0;
  }

  /** Calls that a dead process left open are ended, and limits without a past are told. */
  open(): void {
    const { truth, wiring } = this.#parts;
    this.journal.recover((begin, early) => {
      const seen: ObservedResponse = { ...NOTHING_SEEN, stopped: 'crash', usage: early, endedAt: this.now() };
      const settled = wiring.settleCall(begin, seen, cardFor);
      const call = truth.calls.get(begin.callId);
      must(call !== undefined && call.state !== 'gone', () => `4: ${begin.callId} is recovered and never was`);
      const adopted = truth.adoptedLate(call, this.now());
      const end = this.#limits.recover(begin, pricedAs(begin.requestedModel ?? ''), settled);
      if (call.isShipped) truth.lostAgain(call, end, adopted);
      else truth.lost(call, end, adopted);
      return wiring.forgetsAdoption ? settled : end;
    });
    if (!this.isDead) this.#limits.open();
  }

  receive({ message, changes }: LedgerMessage): void {
    if (message.type === 'limit-backfilled') this.#changes.set(message.counters, changes);
    if (message.type === 'counters-moved') this.#changes.set(message.moves, changes);
    if (message.type === 'overrun-acknowledged') this.#parts.truth.alerts.acknowledged(message.model);
    if (this.#parts.wiring.receives(message)) this.#limits.receive(message);
  }

  /** A client asks. */
  arrive(dice: Dice): void {
    if (this.journal.problem === null || dice.chance(0.1)) this.clients.arrive(dice);
  }

  /** A provider works on one of its calls. */
  progress(dice: Dice): void {
    const call = this.#pickSent(dice);
    const provided = call?.truth.provided;
    if (!call || !provided) return;
    provided.work(dice.next());
    if (!call.journaled || dice.chance(0.5)) return;
    this.journal.note(call.journaled, provided.usage(1));
    const { outputTokens } = provided.bill;
    const { need, counters, presumed } = call.hold;
    if (counters.length === 0 || presumed || outputTokens <= need.outputTokens) return;
    const usage = provided.usage(outputTokens);
    this.#end(call, { ...NOTHING_SEEN, status: 200, stopped: 'overrun', usage, endedAt: this.now() });
  }

  /** One of the calls under way is over. */
  finish(dice: Dice): void {
    const call = this.#pickSent(dice);
    if (call) this.#end(call, this.#answer(call, dice));
  }

  /** What the gate does every so often. */
  sweep(): void {
    this.engine.sweep(this.now(), this.#parts.time.uptime);
    if (this.journal.problem === null) {
      const unsettled = this.#unsettled;
      this.#unsettled = [];
      for (const { call, end } of unsettled) this.#settle(call, end);
    }
    this.clients.check();
  }

  #refuse(id: string, subject: LimitSubject, refused: RefusedUnderLimit): void {
    const { truth, time, disk } = this.#parts;
    const { workspaceId, keyId, provider, model, tags, context = NO_CONTEXT } = subject;
    const request = {
      id,
      key: { id: keyId, workspaceId },
      provider: { id: provider },
      facts: { model },
      tagReading: { tags, warnings: [] },
      contextReading: { context, sessionHash: null },
    } as unknown as InferenceRequest;
    truth.refusals.refused(time.uptime);
    this.refusals.add(request, refused, () => {
      const mayWait = this.isDead || this.journal.problem !== null;
      truth.refusals.answered(id, mayWait || disk.rows(id).length > 0);
    });
  }

  #pickSent(dice: Dice): SimulatedCall | undefined {
    return dice.pick([...this.#calls].filter(({ state }) => state === 'sent'));
  }

  #begin(leaving: AdmittedRequest): void {
    const { truth, wiring, newCallId } = this.#parts;
    const { hold } = leaving.admitted;
    const call = new TrueCall(newCallId(), hold, leaving.request);
    truth.admitted(call, leaving.least, leaving.before);
    truth.begins(call);
    const begin = wiring.written(beginOf(call, hold));
    const gateCall: SimulatedCall = { truth: call, hold, begin, leaving, journaled: null, state: 'beginning' };
    this.#calls.add(gateCall);
    gateCall.journaled = this.journal.begin(begin, (failure) => {
      if (this.isDead) return;
      if (!failure) return this.#send(gateCall);
      this.#calls.delete(gateCall);
      truth.released(call);
      this.engine.release(hold, this.now());
    });
  }

  #send(call: SimulatedCall): void {
    const { disk } = this.#parts;
    const { truth } = call;
    const { fate, outputMax, request } = call.leaving;
    must(disk.rows(truth.id).length > 0, () => `4: ${truth.id} is sent before its begin is durable`);
    call.state = 'sent';
    if (fate.chance(0.05)) return this.#end(call, { ...NOTHING_SEEN, stopped: 'not_sent', endedAt: this.now() });
    const passesBound = fate.chance(call.hold.presumed ? 0.5 : 0.03);
    truth.provided = new ProvidedCall(fate, request, outputMax, passesBound);
  }

  /** What the gate sees of an answer that is over; the provider has done all, part or nothing of its work. */
  #answer({ truth: { provided, request } }: SimulatedCall, dice: Dice): ObservedResponse {
    const bodyBytes = request.demand.textBytes;
    const seen: ObservedResponse = { ...NOTHING_SEEN, status: 200, endedAt: this.now(), bodyBytes };
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

  #end(call: SimulatedCall, seen: ObservedResponse): void {
    const { truth, wiring } = this.#parts;
    const settled = wiring.settleCall(call.begin, seen, cardFor);
    const adopted = call.hold.adoptedRefs();
    const end = adopted && !wiring.forgetsAdoption ? { ...settled, adopted } : settled;
    call.state = 'ending';
    truth.ends(call.truth, end);
    if (!wiring.installsAnyTime) this.engine.ending(call.hold);
    if (!call.journaled) throw new Error(`${call.truth.id} ends before it began`);
    this.journal.end(call.journaled, end, (failure) => {
      if (this.isDead) return;
      if (failure) this.#unsettled.push({ call, end });
      else this.#settle(call, end);
    });
    if (wiring.settlesEarly) this.#settle(call, end);
  }

  #settle(call: SimulatedCall, end: CallEnd): void {
    const { truth, disk } = this.#parts;
    if (!this.#calls.delete(call)) return;
    const isDurable = call.truth.isShipped || disk.rows(call.truth.id).some(({ seq }) => seq > 0);
    must(isDurable, () => `6: ${call.truth.id} is settled before its end is durable`);
    truth.settled(call.truth);
    this.engine.settle(call.hold, end, this.now());
  }

  /** What the book says is so from the moment at which the ledger takes it. */
  #watch(ledger: LimitsEngine): void {
    const { truth } = this.#parts;
    const { put, remove, addPast, move, receiveCounters } = ledger;
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
      if (changes && !this.isDead && !truth.hasPast(counter)) truth.backfillSent(counter, changes);
      addPast.call(ledger, counter, states, now);
    };
    ledger.receiveCounters = (question, states, now) => {
      if (!this.isDead) for (const state of states) truth.alerts.reloaded(placeKey(state));
      receiveCounters.call(ledger, question, states, now);
    };
    ledger.move = (moves, now) => {
      if (!this.isDead) truth.moved(this.#changes.get(moves) ?? []);
      move.call(ledger, moves, now);
    };
  }
}

function beginOf({ id, subject, request, need, startedAt }: TrueCall, hold: Hold): CallBegin {
  const { workspaceId, keyId, provider, tags, context = NO_CONTEXT } = subject;
  return {
    callId: id,
    workspaceId,
    keyId,
    provider,
    operation: 'messages',
    requestedModel: request.model,
    stream: true,
    tags,
    sessionHash: null,
    context,
    shortenedTo: null,
    startedAt,
    hold: need,
    touched: hold.counterRefs(),
  };
}
