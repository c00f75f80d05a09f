import type { CounterPlace } from '../../src/domain/limits/limit.ts';
import { DatabaseClock } from '../../src/leases/database-clock.ts';
import { counterKey, type LeaseAnswer, type LeaseRefusal, type LeaseRequest } from '../../src/leases/exchange.ts';
import { NodeLeases } from '../../src/leases/node-leases.ts';
import { must } from '../simulation/violation.ts';
import { LEASE_MS, type LimitRow, type ShippedCall } from './database.ts';
import type { PlannedNode } from './plan.ts';
import type { Truth } from './truth.ts';

/** Calls wait no longer than this. */
export const WAIT_MS = 2_000;
const WAITING_MAX = 4;
const IDLE_MS = 2_500;
const SHIPPED_AT_A_TIME = 10;

/** What a client asks for: needs by counter of the limit. */
export interface Wanted {
  readonly needs: ReadonlyMap<number, number>;
  readonly tag: string;
  /** Runs when the call is admitted. */
  readonly onAdmitted?: (id: number) => void;
}

interface WaitingCall extends Wanted {
  readonly until: number;
}

interface OpenCall {
  readonly id: number;
  readonly tag: string;
  readonly needs: Map<string, { readonly place: CounterPlace; readonly need: number }>;
}

/** One process of a gateway, with what outlives it: its journal, and calls that a provider is answering. */
export class SimulatedNode {
  readonly name: string;
  readonly #plan: PlannedNode;
  readonly #truth: Truth;
  readonly #newId: () => number;
  #now = 0;
  /** Ended calls, in the order in which they were written. */
  readonly journal: ShippedCall[] = [];
  /** Written begins without an end. */
  readonly open = new Map<number, OpenCall>();
  leases: NodeLeases | null = null;
  clock = new DatabaseClock();
  /** Process number: messages of an earlier one find nobody. */
  process = 0;
  waiting: WaitingCall[] = [];
  /** Shipped up to here, as the process knows. */
  mark = 0;
  isCut = false;
  /** Its machine is gone. */
  isLost = false;
  /** Limits that the process works with. */
  limits = new Map<number, LimitRow>();
  /** The process must register before anything else. */
  isUnknown = false;
  /** What ended calls of the node used, by counter. */
  readonly #used = new Map<string, number>();
  /** Amounts that cells went beyond what was granted, by rights. */
  readonly overrun = new Map<string, number>();

  constructor(name: string, plan: PlannedNode, truth: Truth, newId: () => number) {
    this.name = name;
    this.#plan = plan;
    this.#truth = truth;
    this.#newId = newId;
  }

  get isUp(): boolean {
    return this.leases !== null;
  }

  get isFormer(): boolean {
    return this.#plan.isFormer;
  }

  setTime(now: number): void {
    this.#now = now;
  }

  get uptime(): number {
    return this.#plan.startedAt + this.#now * this.#plan.drift;
  }

  /** A process begins: calls that the last one left open count whole, apart from concurrency. */
  start(limits: ReadonlyMap<number, LimitRow>): void {
    this.process += 1;
    for (const call of this.open.values()) this.#write(call, (need) => need);
    this.open.clear();
    this.leases = new NodeLeases({
      node: this.name,
      position: this.journal.length,
      leaseMs: LEASE_MS,
      idleMs: IDLE_MS,
    });
    this.clock = new DatabaseClock();
    this.waiting = [];
    this.mark = 0;
    this.isUnknown = true;
    this.limits = new Map(limits);
    this.overrun.clear();
  }

  crash(): void {
    this.process += 1;
    this.leases = null;
    this.waiting = [];
  }

  /** A client calls. Returns false if nothing came of it. */
  call(wanted: Wanted): boolean {
    if (!this.leases) return false;
    if (this.#admit(wanted) !== 'waits') return true;
    if (this.waiting.length >= WAITING_MAX) return false;
    this.waiting.push({ ...wanted, until: this.uptime + WAIT_MS });
    return true;
  }

  /** Tries the calls that wait, and refuses those that waited too long. */
  sweep(): void {
    if (!this.leases) return;
    this.waiting = this.waiting.filter((call) => this.#admit(call) === 'waits' && call.until > this.uptime);
  }

  /** @param counted what it used of a need */
  end(id: number, counted: (need: number) => number): void {
    const call = this.open.get(id);
    const { leases } = this;
    if (!call || !leases) return;
    this.open.delete(id);
    const used = this.#write(call, counted);
    for (const [key, { place, need }] of call.needs) {
      const cell = leases.cell(place, this.uptime);
      const amount = used.get(key) ?? 0;
      this.#noteOverrun(key, amount - need);
      cell?.settle(need, amount, this.uptime);
    }
  }

  /** Reads all limits, as a process does when one of them changed. */
  readLimits(limits: ReadonlyMap<number, LimitRow>, changes: number): void {
    const { leases } = this;
    if (!leases) return;
    for (const [counter, limit] of limits) {
      const known = this.limits.get(counter);
      if (!known) this.#adopt(limit);
      else if (limit.revision !== known.revision) leases.changed(counter, this.uptime);
    }
    for (const counter of this.limits.keys()) if (!limits.has(counter)) leases.changed(counter, this.uptime);
    this.limits = new Map(limits);
    leases.caughtUp(changes);
  }

  nextExchange(isHeartbeat: boolean): LeaseRequest | null {
    if (!this.leases || this.isUnknown) return null;
    if (isHeartbeat) this.leases.beat(this.uptime);
    const request = this.leases.nextExchange(this.uptime, isHeartbeat);
    return request && this.isFormer ? formerRequest(request) : request;
  }

  /** Takes the answer to an exchange. */
  receive(answer: LeaseAnswer | LeaseRefusal): void {
    const { leases } = this;
    if (!leases) return;
    if (answer.kind === 'granted') {
      this.clock.answered(answer.time, this.uptime);
      leases.answered(this.isFormer ? { ...answer, scarce: [] } : answer, this.uptime, () => {
        this.sweep();
      });
      return;
    }
    if (!leases.refused(answer)) return;
    if (answer.kind === 'stale') this.isUnknown = true;
    // A failover may have lost shipped calls: where the ledger is, it says anew.
    if (answer.kind === 'restate') this.mark = 0;
    if (answer.kind === 'unshipped') this.mark = Math.min(this.mark, answer.mark);
  }

  /** The pending exchange takes too long. */
  giveUp(): void {
    const { leases } = this;
    if (leases) leases.failed(leases.seq);
  }

  dropIdle(): void {
    this.leases?.dropIdle(this.uptime, this.journal.length);
  }

  recall(places: readonly CounterPlace[]): void {
    if (!this.isFormer) this.leases?.recall(places, this.uptime);
  }

  /** Returns the next calls to ship. */
  nextShipment(): { readonly from: number; readonly calls: readonly ShippedCall[] } {
    return { from: this.mark, calls: this.journal.slice(this.mark, this.mark + SHIPPED_AT_A_TIME) };
  }

  /** Returns the counter that a limit counts a call of this moment under. */
  place({ counter, windowMs, isEachTag }: LimitRow, tag: string): CounterPlace {
    const time = this.clock.now(this.uptime);
    return {
      counter,
      windowStart: windowMs === null || time < 0 ? 0 : time - (time % windowMs),
      value: isEachTag ? tag : '',
    };
  }

  #admit(wanted: WaitingCall | Wanted): 'admitted' | 'refused' | 'waits' {
    const leases = this.leases;
    if (!leases?.isLive(this.uptime)) return 'waits';
    const needs = [...wanted.needs].flatMap(([counter, need]) => {
      const limit = this.limits.get(counter);
      if (!limit || limit.isRemoved) return [];
      const place = this.place(limit, wanted.tag);
      const cell = leases.cell(place, this.uptime);
      return cell ? [{ place, need, cell }] : [];
    });
    if (needs.some(({ cell, need }) => cell.room < need && cell.isSpent(need, this.uptime))) return 'refused';
    const lacking = needs.filter(({ cell, need }) => cell.room < need);
    for (const { cell, need } of lacking) cell.ask(need);
    if (lacking.length > 0) return 'waits';
    for (const { cell, need } of needs) cell.hold(need);
    const id = this.#newId();
    const held = new Map(needs.map(({ place, need }) => [counterKey(place), { place, need }]));
    this.open.set(id, { id, tag: wanted.tag, needs: held });
    for (const { place, need } of needs) this.#truth.admitted(place, need);
    wanted.onAdmitted?.(id);
    return 'admitted';
  }

  /** Writes the end of a call. Returns what it counts by counter. */
  #write({ id, needs }: OpenCall, counted: (need: number) => number): Map<string, number> {
    const used = new Map<string, number>();
    for (const [key, { place, need }] of needs) {
      const isConcurrency = this.limits.get(place.counter)?.kind === 'concurrency';
      const amount = isConcurrency ? 0 : counted(need);
      used.set(key, amount);
      this.#used.set(key, amount + (this.#used.get(key) ?? 0));
      this.#truth.ended(place, need, amount);
    }
    const uses = [...needs].flatMap(([key, { place }]) => {
      const amount = used.get(key) ?? 0;
      return amount === 0 ? [] : [{ place, counted: amount }];
    });
    this.journal.push({ id, uses });
    return used;
  }

  /** Adds open calls to a limit that the process didn't know. */
  #adopt(limit: LimitRow): void {
    const { leases } = this;
    if (!leases || limit.isRemoved || !leases.isLive(this.uptime)) return;
    for (const { tag, needs } of this.open.values()) {
      const place = this.place(limit, tag);
      const key = counterKey(place);
      leases.openNew(place, this.uptime).hold(1);
      needs.set(key, { place, need: 1 });
      this.#noteOverrun(key, 1);
      this.#truth.adopted(place, 1);
    }
  }

  #noteOverrun(key: string, amount: number): void {
    if (amount > 0) this.overrun.set(key, (this.overrun.get(key) ?? 0) + amount);
  }

  /** Every cell is within itself. */
  checkCells(): void {
    for (const { key, used, held, cap, isAdopted } of this.leases?.cells() ?? []) {
      must(Number(used) + Number(held) <= Number(cap), () => `2: ${this.name} ${key}: ${used} + ${held} > ${cap}`);
      const ended = this.#used.get(key) ?? 0;
      must(!isAdopted || Number(used) === ended, () => `2: ${this.name} ${key}: ${used} used, its calls used ${ended}`);
    }
  }
}

/** What a version before this one says: only what safety needs. */
function formerRequest(request: LeaseRequest): LeaseRequest {
  const items = request.items.map((item) => ({ ...item, wish: item.lack, leastLack: item.lack, since: null }));
  return { ...request, protocol: 0, isHeartbeat: false, items };
}
