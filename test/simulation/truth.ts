import type { LimitSnapshot } from '../../src/ipc/messages.ts';
import type { Alert } from '../../src/domain/alerts/alert.ts';
import { type CallAmounts, type CallEnd, isUncertain } from '../../src/domain/usage/call.ts';
import { amountAt, countsAgents, isOnDemand, type Limit } from '../../src/domain/limits/limit.ts';
import type { Period } from '../../src/domain/time/period.ts';
import { inputTokens, outputTokens, totalTokens } from '../../src/domain/usage/usage.ts';
import { readOverrun } from '../../src/limits/alerts.ts';
import type { LimitSubject } from '../../src/limits/scope-index.ts';
import { type Change, placeChange } from './changes.ts';
import { findCounterPlaces, findWindow } from './counter-places.ts';
import { Releases } from './releases.ts';
import { Tallies } from './tallies.ts';
import { TrueAgents } from './true-agents.ts';
import { readThreshold, TrueAlerts } from './true-alerts.ts';
import { TrueRefusals } from './true-refusals.ts';
import { inUnit, placeKey, MEASURED, type CounterPlace, TrueCall } from './true-call.ts';
import { must } from './violation.ts';
import type { UncertainRelease } from '../../src/storage/counter-store.ts';

export const WORKSPACES = ['ws_a', 'ws_b'] as const;

/**
 * What is so: every call with its bill, every limit as the gate was told, and what each counter must hold because of
 * them. It is told what happens, never asks the product, and compares after each step. The numbers in its sentences are
 * those of the README.
 */
export class Truth {
  readonly calls = new Map<string, TrueCall>();
  readonly agents = new TrueAgents();
  readonly alerts = new TrueAlerts();
  readonly refusals = new TrueRefusals();
  /** As the ledger knows them. */
  readonly limits = new Map<string, Limit>();
  /** Counters whose past the ledger knows. */
  readonly #backfilled = new Set<number>();
  readonly tallies = new Tallies();
  readonly releases = new Releases();
  /** A call counts twice in memory, until the next start. */
  readonly #twice = new Set<string>();
  /** A process began before the time of one that had died. */
  hasTimeFallen = false;
  #latest = 0;
  #now = 0;

  get open(): TrueCall[] {
    return [...this.calls.values()].filter(({ state }) => state === 'open');
  }

  /**
   * @param least what it must set aside at least, where its model passed its bound before
   * @param before calls that were admitted before it arrived
   */
  admitted(call: TrueCall, least: CallAmounts | null, before: readonly TrueCall[]): void {
    this.agents.checkAdmitted(call, before, this.limits.values());
    const { fits, tight } = this.#room(call.subject, call.need, call.startedAt);
    must(fits, () => `2: ${call.id} is admitted and does not fit under ${tight}`);
    for (const unit of MEASURED)
      must(
        least === null || inUnit(unit, call.need) >= inUnit(unit, least) - 1,
        () => `3: ${call.id} sets ${inUnit(unit, call.need)} ${unit} aside, calls of its model came to more`,
      );
    for (const limit of this.limits.values()) {
      const amount = limit.action === 'block' ? amountAt(limit, call.startedAt) : Number.POSITIVE_INFINITY;
      for (const place of findCounterPlaces(limit, call.subject, call.startedAt)) {
        call.places.set(placeKey(place), place);
        this.tallies.admittedAt(placeKey(place), amount);
      }
    }
    this.calls.set(call.id, call);
  }

  /** @param reason null = it only must not fit */
  refused(subject: LimitSubject, need: CallAmounts, at: number, reason: string | null, waiting: number): void {
    const { fits, fitsAlone, isHeld } = this.#room(subject, need, at);
    if (reason === 'in_flight') must(isHeld || waiting > 0, () => '9: in_flight, and nothing is held');
    if (reason === 'rate_limited' || reason === 'spent' || reason === 'exceeds_limit')
      must(!fitsAlone, () => `9: ${reason}, and the call would fit alone`);
    // Room may come while a prompt is counted.
    must(
      !fits || waiting > 0 || reason === 'counter_unavailable',
      () => `9: ${reason ?? 'refused'}, and the call fits`,
    );
  }

  /** Nobody knows what it can come to, and a limit blocks by it. */
  refusedUnknown(subject: LimitSubject, at: number, reason: 'unbounded' | 'unpriced_model'): void {
    const blocks = [...this.limits.values()].some(({ action, unit, ...limit }) => {
      const counts = reason === 'unpriced_model' ? unit === 'usd' : unit !== 'calls' && unit !== 'concurrency';
      return action === 'block' && counts && findCounterPlaces({ ...limit, action, unit }, subject, at).length > 0;
    });
    must(blocks, () => `9: ${reason}, and no limit blocks by it`);
  }

  isUnderLimit(subject: LimitSubject, at: number): boolean {
    return [...this.limits.values()].some((limit) => findCounterPlaces(limit, subject, at).length > 0);
  }

  /** A call is refused because the book said nothing, or there was no place for what it says. */
  refusedUncounted(subject: LimitSubject, at: number): void {
    const isAsked = [...this.limits.values()].some(
      (limit) =>
        (isOnDemand(limit) || countsAgents(limit) || !this.#backfilled.has(limit.counter)) &&
        findCounterPlaces(limit, subject, at).length > 0,
    );
    must(isAsked, () => '9: unavailable, and the book had to be asked for nothing');
  }

  /** Does a call that waits fit, with nobody under way? */
  isKeptWaiting(subject: LimitSubject, need: CallAmounts, at: number): boolean {
    return this.open.length === 0 && this.#room(subject, need, at).fits;
  }

  /** Its begin is written with these. */
  begins(call: TrueCall): void {
    for (const [key, place] of call.places) if (place.unit !== 'concurrency') call.begunCounters.set(key, place);
  }

  released(call: TrueCall): void {
    must(call.state === 'open', () => `4: ${call.id} is released when it is ${call.state}`);
    call.state = 'gone';
  }

  /** Its end goes to the journal. */
  ends(call: TrueCall, end: CallEnd): void {
    call.end = end;
    call.counted = end.counted;
    call.uncertain = isUncertain(end) ? minus(end.counted, effectiveAmounts(end)) : null;
    call.first = { counted: call.counted, uncertain: call.uncertain };
    for (const [key, { unit }] of call.places)
      this.tallies.mayPass(key, call.countedIn(unit) - inUnit(unit, call.need));
    checkEnd(call, end);
  }

  settled(call: TrueCall): void {
    must(call.state === 'open', () => `4: ${call.id} is settled when it is ${call.state}`);
    call.state = 'over';
    for (const place of call.places.values()) {
      this.tallies.change(placeChange(call, place, { ...(call.first ?? call), isReleased: false }), true);
      this.alerts.moved(placeKey(place));
    }
    this.alerts.settled(call);
  }

  /** The ledger installs a limit, or changes one. */
  put(limit: Limit, at: number): void {
    const known = this.limits.get(limit.id);
    this.limits.set(limit.id, limit);
    if (known?.counter === limit.counter) return this.#moveAll(limit.counter);
    const { start } = findWindow(limit, at);
    for (const call of this.open) {
      if (call.startedAt < start) continue;
      for (const place of findCounterPlaces(limit, call.subject, call.startedAt)) {
        call.places.set(placeKey(place), place);
        this.tallies.mayPass(placeKey(place), inUnit(place.unit, call.need));
      }
    }
  }

  removed(id: string): void {
    this.limits.delete(id);
  }

  /** What the book finds of a new limit's past; the gate may admit calls before it hears of that. */
  countPast(limit: Limit, window: Period): Change[] {
    const changes: Change[] = [];
    if (isOnDemand(limit)) return this.#countNamed(limit, window);
    this.releases.countPast(limit.counter);
    for (const call of this.calls.values()) {
      const isIn = call.isShipped && call.isSent && call.startedAt >= window.start && call.startedAt < window.end;
      const [place] = isIn ? findCounterPlaces(limit, call.subject, call.startedAt) : [];
      must(!place || place.windowStart === window.start, () => `4: ${limit.id} has another window than ${call.id}`);
      if (place) call.recorded.set(placeKey(place), place);
      if (call.isShipped)
        for (const recorded of call.recorded.values())
          // Where ledger time stood further before a process died, windows to come have been counted in.
          if (recorded.counter === limit.counter && recorded.windowStart >= window.start) {
            if (recorded.windowStart === window.start) call.released.delete(placeKey(recorded));
            changes.push(placeChange(call, recorded));
          }
    }
    for (const { place, counted } of changes) this.tallies.mayPass(placeKey(place), counted);
    return changes;
  }

  /** Of sessions, agents and runs only those calls count that name the limit. */
  #countNamed({ counter }: Limit, window: Period): Change[] {
    return [...this.calls.values()].flatMap((call) =>
      [...(call.isShipped ? call.recorded.values() : [])]
        .filter((place) => place.counter === counter && place.windowStart >= window.start)
        .map((place) => placeChange(call, place)),
    );
  }

  /** The ledger hears of it. */
  backfillSent(counter: number, changes: readonly Change[]): void {
    this.#backfilled.add(counter);
    for (const change of changes) {
      const { call, place } = change;
      must(!call.places.has(placeKey(place)), () => `3: ${call.id} is in the past of a limit that counted it`);
      call.places.set(placeKey(place), place);
      this.tallies.change(change, true);
      this.alerts.moved(placeKey(place));
    }
  }

  /** The book takes what uncertain calls hold, that ended before an instant, out of a counter. */
  release(due: UncertainRelease, workspaceId: string): Change[] {
    const calls = [...this.calls.values()].filter(({ subject }) => subject.workspaceId === workspaceId);
    return this.#mayStayBehind(this.releases.release(calls, due));
  }

  /** A call is booked; where its uncertain part is released already, the gate must hear that. */
  booked(call: TrueCall): Change[] {
    return this.#mayStayBehind(this.releases.recorded(call));
  }

  /** The book corrects what a call counts; the same as changes of the places it is booked under. */
  corrected(call: TrueCall, counted: CallAmounts, uncertain: CallAmounts | null): Change[] {
    this.releases.corrected(call);
    const before = [...call.recorded.values()].map((place) => placeChange(call, place));
    call.counted = counted;
    call.uncertain = uncertain;
    call.isCorrected = true;
    return before.map(({ place, ...was }) => {
      const is = placeChange(call, place);
      const more = is.counted - was.counted;
      this.tallies.mayPass(placeKey(place), more);
      this.tallies.mayStayBehind(placeKey(place), -more);
      return { call, place, counted: more, uncertain: is.uncertain - was.uncertain };
    });
  }

  /** The ledger hears of it. What belongs to a past still to be told comes with that. */
  moved(changes: readonly Change[]): void {
    for (const change of changes) {
      if (!change.call.places.has(placeKey(change.place))) continue;
      this.tallies.change(change, false);
      if (change.counted !== 0) this.alerts.moved(placeKey(change.place));
    }
  }

  /** A process is dead. Of its open calls those go on that the disk has. */
  died(isBegun: (id: string) => boolean, isEnded: (id: string) => boolean): void {
    for (const call of this.calls.values()) {
      if (call.state === 'gone') continue;
      if (call.isShipped || isEnded(call.id)) call.state = 'over';
      else if (isBegun(call.id)) this.#reopen(call);
      else this.#lose(call);
    }
  }

  /** A new process has these limits and counters. */
  loaded({ limits, overruns }: Pick<LimitSnapshot, 'limits' | 'overruns'>): void {
    this.alerts.loaded(overruns);
    this.limits.clear();
    this.#backfilled.clear();
    this.tallies.forget();
    this.#twice.clear();
    this.#latest = Math.max(this.#latest, this.#now);
    this.#now = 0;
    for (const limit of limits) {
      this.limits.set(limit.id, limit);
      if (limit.countsPast) this.#backfilled.add(limit.counter);
    }
    for (const call of this.calls.values()) {
      call.places.clear();
      if (call.isShipped) for (const place of call.recorded.values()) this.#load(call, place);
      // Until a past is told, calls are admitted without what came before.
      for (const [key, { counter, unit }] of call.begunCounters)
        if (!this.#backfilled.has(counter)) this.tallies.mayPass(key, inUnit(unit, call.need));
    }
  }

  /** A call that the dead process left open is ended. */
  lost(call: TrueCall, end: CallEnd, adopted: readonly CounterPlace[]): void {
    this.ends(call, end);
    call.state = 'over';
    for (const place of [...call.begunCounters.values(), ...adopted]) {
      call.recorded.set(placeKey(place), place);
      this.#load(call, place);
    }
    for (const place of adopted) this.tallies.mayPass(placeKey(place), call.countedIn(place.unit));
  }

  /** The same of a call whose end was lost with the power after the book had it: until the next start it counts twice. */
  lostAgain(call: TrueCall, end: CallEnd, adopted: readonly CounterPlace[]): void {
    const again = new TrueCall(`${call.id} again`, call, call.request);
    this.ends(again, end);
    for (const place of [...call.begunCounters.values(), ...adopted])
      if (this.#backfilled.has(place.counter) && !this.isOnDemand(place.counter)) {
        const change = placeChange(again, place);
        this.tallies.change(change, false);
        this.tallies.mayPass(placeKey(place), change.counted);
        this.#twice.add(placeKey(place));
      }
  }

  /** Where a call counts under limits that came after its begin. */
  adoptedLate(call: TrueCall, at: number): CounterPlace[] {
    return [...this.limits.values()].flatMap((limit) => {
      const isNew =
        limit.unit !== 'concurrency' &&
        ![...call.begunCounters.values()].some(({ counter }) => counter === limit.counter);
      // What comes with a past is not counted by name, but sessions, agents and runs have no past.
      const isNamed = isNew && (isOnDemand(limit) || this.#backfilled.has(limit.counter));
      const places = isNamed ? findCounterPlaces(limit, call.subject, call.startedAt) : [];
      return places.filter(({ windowStart }) => windowStart >= findWindow(limit, at).start);
    });
  }

  /** What the book must hold, by place. */
  inLedger(): Map<string, Pick<Change, 'counted' | 'uncertain'>> {
    const sums = new Map<string, Pick<Change, 'counted' | 'uncertain'>>();
    for (const call of this.calls.values())
      for (const [key, place] of call.isShipped ? call.recorded : []) {
        const { counted, uncertain } = placeChange(call, place);
        const sum = sums.get(key) ?? { counted: 0, uncertain: 0 };
        sums.set(key, { counted: sum.counted + counted, uncertain: sum.uncertain + uncertain });
      }
    return sums;
  }

  /** Ledger time is there. */
  passed(now: number): void {
    if (now < this.#latest) this.hasTimeFallen = true;
    must(now >= this.#now, () => `10: ledger time falls by ${this.#now - now} ms`);
    this.#now = now;
  }

  /** The ledger knows what was counted before the limit was there. */
  hasPast(counter: number): boolean {
    return this.#backfilled.has(counter);
  }

  countsTwice(key: string): boolean {
    return this.#twice.has(key);
  }

  /** Memory has the counter only while it is used. */
  isOnDemand(counter: number): boolean {
    return [...this.limits.values()].some((limit) => limit.counter === counter && isOnDemand(limit));
  }

  /** A window that came twice, of which the book holds too much. */
  isOff(key: string): boolean {
    return this.hasTimeFallen && this.releases.tooHigh.has(key);
  }

  #room(subject: LimitSubject, need: CallAmounts, at: number) {
    let [fits, fitsAlone, isHeld, tight] = [true, true, false, ''];
    for (const limit of this.limits.values()) {
      const amount = inUnit(limit.unit, need);
      if (limit.action !== 'block' || amount === 0) continue;
      for (const place of findCounterPlaces(limit, subject, at)) {
        const key = placeKey(place);
        let held = 0;
        for (const call of this.open) if (call.places.has(key)) held += inUnit(limit.unit, call.need);
        const alone = this.tallies.of(key).counted + amount;
        if (held > 0) isHeld = true;
        if (alone > amountAt(limit, at)) fitsAlone = false;
        if (alone + held > amountAt(limit, at)) [fits, tight] = [false, `${limit.id} (${key})`];
      }
    }
    return { fits, fitsAlone, isHeld, tight };
  }

  /** All that a limit counts may pass thresholds, for its amount has changed. */
  #moveAll(counter: number): void {
    for (const key of this.tallies.keys()) if (key.startsWith(`${counter} `)) this.alerts.moved(key);
  }

  /** The gate tells people something: it must be so. */
  raised(alert: Alert): void {
    const overrun = readOverrun(alert);
    if (overrun) return this.alerts.overran(overrun, overrun.ratio);
    const passed = readThreshold(alert);
    const limit = passed && this.limits.get(passed.limit);
    // A window that is over knows no corrections.
    if (!passed || !limit || findWindow(limit, alert.createdAt).start !== passed.windowStart) return;
    const key = placeKey({ counter: limit.counter, ...passed });
    // The alert says what the counter says, which is more than the calls.
    if (this.isOff(key)) return;
    this.alerts.passed(key, passed.threshold, this.tallies.of(key).counted, amountAt(limit, alert.createdAt));
  }

  #mayStayBehind(changes: Change[]): Change[] {
    for (const { place, counted } of changes) this.tallies.mayStayBehind(placeKey(place), -counted);
    return changes.filter(({ uncertain }) => uncertain !== 0);
  }

  #load(call: TrueCall, place: CounterPlace): void {
    if (!this.#backfilled.has(place.counter)) return;
    call.places.set(placeKey(place), place);
    this.tallies.change(placeChange(call, place), true);
  }

  /** Its end, if it had one, is lost: it counts whole again. */
  #reopen(call: TrueCall): void {
    if (call.state === 'over')
      for (const [key, { unit }] of call.places) this.tallies.mayPass(key, inUnit(unit, call.need));
    call.state = 'open';
    call.recorded.clear();
    [call.end, call.counted, call.uncertain] = [null, null, null];
  }

  /** Only a loss of power can take a begin that was durable; what it was charged nobody counts. */
  #lose(call: TrueCall): void {
    for (const [key, { unit }] of call.places) this.tallies.mayStayBehind(key, call.billIn(unit));
    call.state = 'gone';
  }
}

function checkEnd(call: TrueCall, { usageSource, cost, counted, outcome, uncertainReason }: CallEnd): void {
  if (!call.provided) return;
  const { bill, passesBound } = call.provided;
  if (usageSource === 'reported' && cost !== null)
    must(cost === bill.usd && counted.usd === bill.usd, () => `5: ${call.id} costs ${cost}, its bill is ${bill.usd}`);
  else must(cost === null || cost <= (counted.usd ?? 0), () => `5: ${call.id} costs ${cost}, counts ${counted.usd}`);
  if ((passesBound && uncertainReason !== 'overrun') || outcome === 'not_sent') return;
  for (const unit of MEASURED)
    must(inUnit(unit, bill) <= inUnit(unit, counted), () => `5: ${call.id} is billed more ${unit} than it counts`);
}

function effectiveAmounts({ cost, usage }: CallEnd): CallAmounts {
  const tokens = usage ? totalTokens(usage) : {};
  return { usd: cost, inputTokens: inputTokens(tokens), outputTokens: outputTokens(tokens) };
}

function minus(a: CallAmounts, b: CallAmounts): CallAmounts {
  return {
    usd: (a.usd ?? 0) - (b.usd ?? 0),
    inputTokens: a.inputTokens - b.inputTokens,
    outputTokens: a.outputTokens - b.outputTokens,
  };
}
