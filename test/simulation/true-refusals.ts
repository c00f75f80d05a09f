import type { RefusedCall } from '../../src/domain/usage/refused-call.ts';
import { must } from './violation.ts';

/** Time for which a summed refusal may be in memory only. */
const SUM_MS = 1_000;

/** Every call that a limit refused, and what the journal and the ledger must have of it. */
export class TrueRefusals {
  /** Refused calls that the journal does not have: they are in a sum in memory. */
  #unwritten = 0;
  /** Uptime at which the oldest of them was refused. */
  #unwrittenSince = 0;
  /** Records and parts of sums that the journal has or keeps, by id. */
  readonly #handed = new Map<string, RefusedCall>();
  readonly #booked = new Set<string>();

  refused(uptime: number): void {
    if (this.#unwritten === 0) this.#unwrittenSince = uptime;
    this.#unwritten += 1;
  }

  /** The journal gets a record, or a part of a sum. */
  handed(call: RefusedCall): void {
    must(!this.#handed.has(call.callId), () => `11: ${call.callId} is recorded twice`);
    this.#unwritten -= call.calls;
    must(this.#unwritten >= 0, () => `11: more calls are recorded than were refused`);
    this.#handed.set(call.callId, call);
  }

  /** The client has its answer. */
  answered(callId: string, isDurable: boolean): void {
    must(isDurable || !this.#handed.has(callId), () => `11: ${callId} is answered before its record is durable`);
  }

  check(uptime: number): void {
    must(
      this.#unwritten === 0 || uptime - this.#unwrittenSince < SUM_MS,
      () => `11: ${this.#unwritten} refused calls are only in memory for more than a second`,
    );
  }

  /** A process died: sums of its last second are lost, and what the disk did not take. */
  died(isWritten: (callId: string) => boolean): void {
    this.#unwritten = 0;
    for (const callId of this.#handed.keys())
      if (!isWritten(callId) && !this.#booked.has(callId)) this.#handed.delete(callId);
  }

  booked({ callId }: RefusedCall): void {
    must(this.#handed.has(callId), () => `11: ${callId} is in the ledger and was never refused`);
    this.#booked.add(callId);
  }

  isBooked(callId: string): boolean {
    return this.#booked.has(callId);
  }

  /** The ledger has everything. */
  get isSettled(): boolean {
    return this.#unwritten === 0 && [...this.#handed.keys()].every((callId) => this.#booked.has(callId));
  }

  /** Compares all records of the ledger at rest. */
  checkRecords(records: readonly RefusedCall[]): void {
    const found = countByName(records);
    const expected = countByName([...this.#handed.values()]);
    for (const name of new Set([...found.keys(), ...expected.keys()]))
      must(
        found.get(name) === expected.get(name),
        () =>
          `11: the ledger has ${found.get(name) ?? 0} refused calls of ${name}, it should ${expected.get(name) ?? 0}`,
      );
  }
}

/** Sums calls by record, or by the names that parts of a sum share. */
function countByName(calls: readonly RefusedCall[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { isSum, callId, workspaceId, at, keyId, limitId, reason, calls: count } of calls) {
    const name = isSum ? [workspaceId, at, keyId, limitId, reason].join(' ') : callId;
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return counts;
}
