import type { LimitMessageToLedger } from '../../src/ipc/messages.ts';
import type { LimitAction, Limit, LimitScope, LimitUnit, LimitWindow } from '../../src/domain/limits/limit.ts';
import { changeZone } from '../../src/domain/time/window.ts';
import { readOverrun } from '../../src/limits/alerts.ts';
import { SimulatedLedger, LedgerDisk, type LedgerMessage } from './ledger.ts';
import { checkGateway, checkRest } from './check-gateway.ts';
import type { Dice } from './dice.ts';
import { Disk } from './disk.ts';
import { AS_IT_IS, SimulatedGateway, type SimulatedGatewayParts, type Wiring } from './gateway.ts';
import { PROVIDER } from './provider.ts';
import { findWindow } from './counter-places.ts';
import { SimulatedTime } from './time.ts';
import { Truth, WORKSPACES } from './truth.ts';
import { Violation } from './violation.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Shortly before clocks change, months end, and ordinary hours and days do. */
const BEGINNINGS = [
  '2026-03-29T00:58:00Z',
  '2026-10-25T00:58:00Z',
  '2026-11-01T05:58:00Z',
  '2026-03-08T06:58:00Z',
  '2026-10-03T15:28:00Z',
  '2026-04-23T21:58:00Z',
  '2026-11-01T03:58:00Z',
  '2026-12-31T22:58:00Z',
  '2028-02-28T23:58:00Z',
  '2026-11-21T10:20:30Z',
] as const;
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  // Clocks skip a midnight, or have it twice.
  'Africa/Cairo',
  'America/Havana',
] as const;
const SCOPES: readonly LimitScope[] = [
  { kind: 'workspace' },
  { kind: 'key', keyId: 'key_a' },
  { kind: 'provider', provider: PROVIDER },
  { kind: 'model', pattern: 'm-*' },
  { kind: 'model', pattern: 'm-large' },
  { kind: 'model', pattern: '*a*' },
  { kind: 'tag', key: 'team', value: 'red' },
  { kind: 'each_tag', key: 'team' },
  { kind: 'each', of: 'session', keyId: null },
  { kind: 'each', of: 'session', keyId: 'key_b' },
  { kind: 'each', of: 'agent', keyId: null },
  { kind: 'each', of: 'agent', keyId: 'key_a' },
  { kind: 'each', of: 'run', keyId: null },
];
/** In a world that is about agents. */
const AGENT_SCOPES: readonly LimitScope[] = [
  { kind: 'each', of: 'agent', keyId: null },
  { kind: 'each', of: 'agent', keyId: 'key_a' },
  { kind: 'each', of: 'session', keyId: null },
];
/** Messages that threads exchange before a step is over, at most. */
const EXCHANGED_MAX = 20;
const UNITS: readonly LimitUnit[] = [
  'usd',
  'usd',
  'usd',
  'calls',
  'tokens',
  'input_tokens',
  'output_tokens',
  'concurrency',
];
const WINDOWS: readonly LimitWindow[] = ['minute', 'hour', 'day', 'week', 'month', 'total'];
/** A few calls fit. In nano-USD, calls, tokens. */
const AMOUNTS: Readonly<Record<LimitUnit, number>> = {
  usd: 9_000,
  calls: 6,
  tokens: 2_000,
  input_tokens: 1_500,
  output_tokens: 1_000,
  concurrency: 3,
};
const LIMITS_MAX = 6;
/** In each of them some calls end. */
const REST_ROUNDS_MAX = 80;
/** Windows of all zones end at some of these. */
const EDGES = 15 * MINUTE;

/** Everything there is: clients, clock, disks, the processes with their two threads, and what is true. */
export class World {
  readonly truth = new Truth();
  readonly time: SimulatedTime;
  readonly disk: Disk;
  readonly ledgerDisk = new LedgerDisk();
  readonly #wiring: Wiring;
  readonly #openCallsMax: number;
  readonly #onDemandMax: number;
  /** Most of its limits are on agents, and what a call asks the ledger is answered soon. */
  readonly #isAboutAgents: boolean;
  #shippedMark = 0;
  #gateway: SimulatedGateway | null = null;
  #ledger: SimulatedLedger | null = null;
  #toGateway: LedgerMessage[] = [];
  #toLedger: LimitMessageToLedger[] = [];
  #lastCall = 0;
  #isDying = false;

  constructor(dice: Dice, wiring: Wiring = AS_IT_IS) {
    this.#wiring = wiring;
    this.time = new SimulatedTime(Date.parse(dice.pick(BEGINNINGS)) + dice.whole(0, 2 * MINUTE));
    this.disk = new Disk(dice.chance(0.5) ? 'full' : 'normal');
    this.#openCallsMax = dice.chance(0.2) ? 6 : 1_000;
    this.#onDemandMax = dice.chance(0.2) ? 6 : 1_000;
    this.#isAboutAgents = dice.chance(0.25);
    for (const workspace of WORKSPACES) this.ledgerDisk.zones[workspace] = [{ zone: dice.pick(ZONES), since: 0 }];
    for (let limit = dice.whole(0, 3); limit > 0; limit -= 1) this.#createLimit(dice);
  }

  /** A process starts by the protocol: the book takes what the journal has, then the gate what the book has. */
  async start(): Promise<void> {
    this.#isDying = false;
    [this.#toGateway, this.#toLedger] = [[], []];
    const parts = this.#gatewayParts();
    const journal = SimulatedGateway.openJournal(parts);
    const ledger = new SimulatedLedger({
      disk: this.ledgerDisk,
      journal: this.disk,
      time: this.time,
      truth: this.truth,
      send: (message) => this.#toGateway.push(message),
      shipped: (mark) => {
        this.#shippedMark = mark;
        journal.shipped(mark);
      },
      hear: () => this.#hearAll(),
      marksEarly: this.#wiring.marksEarly,
    });
    this.#ledger = ledger;
    await ledger.start();
    const gateway = new SimulatedGateway(parts, journal, await ledger.limits.snapshot());
    this.#gateway = gateway;
    gateway.open();
  }

  /** What was injected may have killed the process. */
  async check(): Promise<void> {
    if (this.#isDying) await this.#restart();
    const gateway = this.#gateway;
    if (gateway) checkGateway(this.truth, gateway.engine, gateway.now());
    this.truth.refusals.check(this.time.uptime);
  }

  /** Everything that is under way comes to its end, and then nothing differs. */
  async rest(dice: Dice): Promise<void> {
    this.disk.fault = null;
    let quiet = 0;
    for (let round = 0; round < REST_ROUNDS_MAX; round += 1) {
      this.turn();
      this.pass(dice.whole(1, 6_000));
      await this.#restartIfDead();
      for (let calls = 0; calls < 5; calls += 1) {
        this.#gateway?.clients.count(dice);
        this.#gateway?.finish(dice);
      }
      this.#gateway?.sweep();
      for (let message = 0; message < 3; message += 1) this.gatewayReceives();
      await this.ledgerReceives();
      await this.ship(99);
      await this.check();
      const isQuiet =
        this.#gateway?.isIdle && this.#toGateway.length + this.#toLedger.length === 0 && this.truth.refusals.isSettled;
      quiet = isQuiet ? quiet + 1 : 0;
      // What was told last takes effect in the next turns.
      if (quiet < 3 || !this.#gateway) continue;
      checkRest(this.truth, this.#gateway.now());
      await this.#ledger?.checkRefusals();
      // What counted in windows that came twice is found otherwise by the times of calls.
      if (!this.truth.hasTimeFallen) await this.#ledger?.recount(this.#gateway.now());
      return;
    }
    throw new Violation('9: calls, or what book and gate tell each other, never come to an end');
  }

  /** A client asks. */
  async arrive(dice: Dice): Promise<void> {
    this.#gateway?.arrive(dice);
    if (!this.#isAboutAgents || dice.chance(0.3)) return;
    for (let left = EXCHANGED_MAX; left > 0 && this.#toGateway.length + this.#toLedger.length > 0; left -= 1) {
      this.gatewayReceives();
      await this.ledgerReceives();
    }
  }

  turn(): void {
    this.time.turn();
  }

  pass(ms: number): void {
    this.time.pass(ms);
  }

  /** To the last or the first instant of a limit's window, or of an hour. */
  toEdge(dice: Dice): void {
    const now = this.#gateway?.now() ?? this.time.wall;
    const limit = dice.pick(this.ledgerDisk.limits);
    const { end } = limit ? findWindow(limit, now) : { end: Number.POSITIVE_INFINITY };
    const edge = dice.chance(0.8) && Number.isFinite(end) ? end : now - (now % HOUR) + HOUR;
    this.pass(Math.max(0, edge - now + dice.pick([-1, 0, 1])));
  }

  gatewayReceives(): void {
    const message = this.#toGateway.shift();
    if (message) this.#gateway?.receive(message);
  }

  async ledgerReceives(): Promise<void> {
    const message = this.#toLedger.shift();
    if (message) this.#ledger?.hear(message);
    await this.ship(0);
  }

  async ship(calls: number): Promise<void> {
    await this.#ledger?.ship(calls);
  }

  get gate(): SimulatedGateway | null {
    return this.#gateway;
  }

  get ledger(): SimulatedLedger | null {
    return this.#ledger;
  }

  async die(dice: Dice, losesPower: boolean): Promise<void> {
    if (losesPower) this.disk.losePower(dice);
    await this.#restart();
  }

  async close(): Promise<void> {
    this.#gateway?.refusals.flush();
    this.#gateway?.journal.close();
    await this.#restart();
  }

  /** Of any call that is booked: its price, or what it came to if that was uncertain. */
  async correct(dice: Dice): Promise<void> {
    const call = dice.pick([...this.truth.calls.values()].filter(({ isShipped, isSent }) => isShipped && isSent));
    if (!call) return;
    if (call.uncertain && dice.chance(0.7)) await this.#ledger?.correct(call.id, null);
    else await this.#ledger?.correct(call.id, dice.whole(0, 3_000));
  }

  /** Somebody reads an alert of a model that passed its bound. */
  acknowledge(dice: Dice): void {
    const alert = dice.pick(this.ledgerDisk.unread);
    const model = alert && readOverrun(alert);
    if (!model) return;
    this.ledgerDisk.read(alert);
    this.#send({ message: { type: 'overrun-acknowledged', model }, changes: [] });
  }

  createLimit(dice: Dice): void {
    if (this.ledgerDisk.limits.length < LIMITS_MAX) this.#createLimit(dice);
  }

  removeLimit(dice: Dice): void {
    const limit = dice.pick(this.ledgerDisk.limits);
    if (!limit) return;
    this.ledgerDisk.limits = this.ledgerDisk.limits.filter((other) => other !== limit);
    this.#send({ message: { type: 'limit-removed', id: limit.id }, changes: [] });
  }

  /** Amount, raise, action; or scope, unit, window, and with them its counters. */
  changeLimit(dice: Dice): void {
    const limit = dice.pick(this.ledgerDisk.limits);
    if (!limit) return;
    const shift = dice.weighed({ amount: 4, raise: 2, action: 1, counters: 2 });
    const until = this.time.wall + dice.whole(1, HOUR);
    const changed: Limit =
      shift === 'amount'
        ? { ...limit, amount: Math.round(limit.amount * (0.2 + 2 * dice.next())) }
        : shift === 'raise'
          ? { ...limit, raise: dice.chance(0.7) ? { amount: limit.amount * 2, until } : null }
          : shift === 'action'
            ? { ...limit, action: limit.action === 'block' ? 'warn' : 'block' }
            : { ...this.#drawLimit(dice), id: limit.id, workspaceId: limit.workspaceId, zones: limit.zones };
    this.ledgerDisk.limits = this.ledgerDisk.limits.map((other) => (other === limit ? changed : other));
    this.#send({ message: { type: 'limit-changed', limit: changed }, changes: [] });
  }

  /**
   * Heard at once, and not near the end of a window: for a moment book and gate would know different windows, which
   * lasts a few milliseconds and is left out here.
   */
  changeZone(dice: Dice): void {
    const gateway = this.#gateway;
    if (!gateway?.isAtRest) return;
    while (this.#toGateway.length > 0) this.gatewayReceives();
    this.pass(2);
    const since = Math.max(this.time.wall, gateway.now());
    if ([since, this.time.wall].some((at) => (at + SECOND) % EDGES < 2 * SECOND) || !gateway.isAtRest) return;
    const workspace = dice.pick(WORKSPACES);
    const zones = changeZone(this.ledgerDisk.zones[workspace] ?? [], { zone: dice.pick(ZONES), since });
    this.ledgerDisk.zones[workspace] = zones;
    this.ledgerDisk.limits = this.ledgerDisk.limits.map((limit) => {
      if (limit.workspaceId !== workspace) return limit;
      const changed = { ...limit, zones };
      gateway.receive({ message: { type: 'limit-changed', limit: changed }, changes: [] });
      return changed;
    });
    this.pass(2);
  }

  #createLimit(dice: Dice): void {
    const limit = this.#drawLimit(dice);
    this.ledgerDisk.limits = [...this.ledgerDisk.limits, limit];
    this.#send({ message: { type: 'limit-changed', limit }, changes: [] });
  }

  #drawLimit(dice: Dice): Limit {
    this.ledgerDisk.lastCounter += 1;
    const unit = dice.pick(UNITS) ?? 'usd';
    const workspaceId = dice.chance(0.9) ? WORKSPACES[0] : WORKSPACES[1];
    const action: LimitAction = dice.chance(0.9) ? 'block' : 'warn';
    return {
      id: `lim_${this.ledgerDisk.lastCounter}`,
      counter: this.ledgerDisk.lastCounter,
      workspaceId,
      scope: dice.pick(this.#isAboutAgents && dice.chance(0.8) ? AGENT_SCOPES : SCOPES) ?? { kind: 'workspace' },
      unit,
      amount: Math.round(AMOUNTS[unit] * (0.3 + dice.next())),
      raise: null,
      window: unit === 'concurrency' ? 'total' : (dice.pick(WINDOWS) ?? 'day'),
      action,
      thresholds: [50, 80],
      uncertain: dice.chance(0.2) ? { releaseAfterMs: dice.whole(1, HOUR) } : 'keep',
      label: null,
      countsObserved: false,
      zones: this.ledgerDisk.zones[workspaceId] ?? [],
      countsPast: false,
    };
  }

  #send(message: LedgerMessage): void {
    this.#toGateway.push(message);
  }

  #hearAll(): void {
    for (const message of this.#toLedger.splice(0)) this.#ledger?.hear(message);
  }

  async #restartIfDead(): Promise<void> {
    if (this.#isDying) await this.#restart();
  }

  async #restart(): Promise<void> {
    const gateway = this.#gateway;
    if (gateway) gateway.isDead = true;
    this.#gateway = null;
    this.time.forget();
    const isIn = (id: string, isEnded: boolean): boolean => this.disk.rows(id).some(({ seq }) => !isEnded || seq > 0);
    this.truth.died(
      (id) => isIn(id, false),
      (id) => isIn(id, true),
    );
    this.truth.refusals.died((id) => isIn(id, true));
    await this.start();
    // It may have died again while it started.
    if (this.#isDying) await this.#restart();
  }

  #gatewayParts(): SimulatedGatewayParts {
    return {
      disk: this.disk,
      time: this.time,
      truth: this.truth,
      wiring: this.#wiring,
      openCallsMax: this.#openCallsMax,
      onDemandMax: this.#onDemandMax,
      isAboutAgents: this.#isAboutAgents,
      shippedMark: () => this.#shippedMark,
      died: () => {
        this.#isDying = true;
        if (this.#gateway) this.#gateway.isDead = true;
      },
      send: (message) => this.#toLedger.push(message),
      raise: (alert) => {
        this.truth.raised(alert);
        this.ledgerDisk.raise(alert);
      },
      newCallId: () => `call_${String((this.#lastCall += 1)).padStart(9, '0')}`,
    };
  }
}
