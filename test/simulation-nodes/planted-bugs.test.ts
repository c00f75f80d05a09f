import { afterEach, expect, test, vi } from 'vitest';
import { DatabaseClock } from '../../src/leases/database-clock.ts';
import type { GrantDemand } from '../../src/leases/grant-size.ts';
import { LeaseAuthority } from '../../src/leases/lease-authority.ts';
import { LeaseCell } from '../../src/leases/lease-cell.ts';
import { NodeLeases } from '../../src/leases/node-leases.ts';
import { drawPlan } from './plan.ts';
import { type Failure, play } from './simulate.ts';
import { AS_IT_IS, type Wiring } from './world.ts';

// What finds nothing proves nothing: each of these mistakes is made on purpose, and the simulation must see it.

type SizeGrant = (demand: GrantDemand) => number;
const sizes = vi.hoisted(() => ({ bug: null as ((right: SizeGrant) => SizeGrant) | null }));
vi.mock('../../src/leases/grant-size.ts', async (importOriginal) => {
  const original = await importOriginal<{ sizeGrant: SizeGrant }>();
  const sizeGrant: SizeGrant = (demand) => (sizes.bug?.(original.sizeGrant) ?? original.sizeGrant)(demand);
  return { ...original, sizeGrant };
});

afterEach(() => {
  sizes.bug = null;
  vi.restoreAllMocks();
});

interface Bug {
  readonly name: string;
  readonly wiring?: Partial<Wiring>;
  readonly plant?: () => void;
  /** Schedules, from the first seed on, among which one finds it. */
  readonly within: number;
  /** Tried first: the first seed that found it. After a change of the simulation another one does, which takes longer. */
  readonly foundBy?: number;
  /** The invariant that is broken first, as the README numbers them. */
  readonly breaks: RegExp;
}

const bugs: readonly Bug[] = [
  {
    name: 'a grant that is one more than is free',
    plant() {
      sizes.bug = (right) => (demand) => right(demand) + (right(demand) > 0 ? 1 : 0);
    },
    within: 10,
    breaks: /^[16]: /,
  },
  {
    name: 'an exchange that is taken although a newer one was here',
    plant() {
      const { exchange } = LeaseAuthority.prototype;
      let seq = 0;
      vi.spyOn(LeaseAuthority.prototype, 'exchange').mockImplementation(function (this: LeaseAuthority, request) {
        return { ...exchange.call(this, { ...request, seq: (seq += 1) }), seq: request.seq };
      });
    },
    within: 1_000,
    breaks: /^[12]: /,
  },
  {
    name: 'grants of a silent node that are given to others',
    wiring: {
      beforeExchange: ({ authority }, nodes) => {
        for (const { name, isUp, isCut } of nodes) if (!isUp || isCut) authority.forget(name, 'free');
      },
    },
    within: 50,
    breaks: /^1: /,
  },
  {
    name: 'a node that admits after its lease has ended',
    plant() {
      vi.spyOn(NodeLeases.prototype, 'isLive').mockReturnValue(true);
    },
    within: 1_000,
    breaks: /^5: /,
  },
  {
    name: 'a node that spends what ended calls leave, although the amount was lowered',
    plant() {
      const { recall } = LeaseCell.prototype;
      vi.spyOn(LeaseCell.prototype, 'lower').mockImplementation(recall);
    },
    within: 10_000,
    foundBy: 3_424,
    breaks: /^5: /,
  },
  {
    name: 'a grant of the old amount that arrives after the amount was lowered',
    plant() {
      const { take } = LeaseCell.prototype;
      vi.spyOn(LeaseCell.prototype, 'take').mockImplementation(function (this: LeaseCell, grant, uptime) {
        take.call(this, grant, uptime, false);
      });
    },
    within: 10_000,
    foundBy: 6_033,
    breaks: /^5: /,
  },
  {
    name: 'a failover that nobody notices',
    wiring: { noticesFailover: false },
    within: 300,
    breaks: /^[124]: /,
  },
  {
    name: 'cells that begin before the calls of the former process are shipped',
    wiring: { request: (request) => ({ ...request, position: 0 }) },
    within: 100,
    breaks: /^[12]: /,
  },
  {
    name: 'an answer that is taken for the answer to a newer exchange',
    plant() {
      const { answered } = NodeLeases.prototype;
      vi.spyOn(NodeLeases.prototype, 'answered').mockImplementation(function (this: NodeLeases, answer, ...rest) {
        return answered.call(this, { ...answer, seq: this.seq }, ...rest);
      });
    },
    within: 100,
    breaks: /^[12]: /,
  },
  {
    name: 'an overrun that the authority never learns',
    plant() {
      const { settle } = LeaseCell.prototype;
      vi.spyOn(LeaseCell.prototype, 'settle').mockImplementation(function (this: LeaseCell, need, counted, uptime) {
        settle.call(this, need, counted > need ? need : counted, uptime);
      });
    },
    within: 100,
    breaks: /^[12]: /,
  },
  {
    name: 'an amount that is returned before the call that asked for it is tried',
    plant() {
      const { answered } = NodeLeases.prototype;
      vi.spyOn(NodeLeases.prototype, 'answered').mockImplementation(function (this: NodeLeases, answer, uptime, retry) {
        const isTaken = answered.call(this, answer, uptime, () => {});
        for (const cell of this.cells()) cell.recall(uptime);
        retry();
        return isTaken;
      });
    },
    within: 10,
    breaks: /^6: /,
  },
  {
    name: 'a lowered amount that is read and not obeyed',
    plant() {
      vi.spyOn(NodeLeases.prototype, 'changed').mockReturnValue();
    },
    within: 1_000,
    breaks: /^5: /,
  },
  {
    name: 'a lease that is counted from when its answer arrived',
    plant() {
      const { isLive } = NodeLeases.prototype;
      vi.spyOn(NodeLeases.prototype, 'isLive').mockImplementation(function (this: NodeLeases, uptime) {
        return isLive.call(this, uptime - 800);
      });
    },
    within: 10_000,
    foundBy: 5_197,
    breaks: /^5: /,
  },
  {
    name: 'a doubled shipment that counts twice',
    plant() {
      const { ship } = LeaseAuthority.prototype;
      vi.spyOn(LeaseAuthority.prototype, 'ship').mockImplementation(function (
        this: LeaseAuthority,
        name,
        epoch,
        from,
        to,
        uses,
      ) {
        const mark = ship.call(this, name, epoch, from, to, uses);
        if (mark !== null && mark > from && mark !== to) return ship.call(this, name, epoch, mark, mark, uses);
        return mark;
      });
    },
    within: 100,
    breaks: /^[46]: /,
  },
  {
    name: 'recalls that nobody follows',
    plant() {
      vi.spyOn(LeaseCell.prototype, 'recall').mockReturnValue();
    },
    within: 100,
    breaks: /^6: /,
  },
  {
    name: 'a clock that trusts the way of an answer to take no time',
    plant() {
      const { answered } = DatabaseClock.prototype;
      vi.spyOn(DatabaseClock.prototype, 'answered').mockImplementation(function (this: DatabaseClock, time, uptime) {
        answered.call(this, time + 20, uptime);
      });
    },
    within: 10,
    breaks: /^7: /,
  },
];

test.each(bugs)('the simulation finds $name', ({ wiring, plant, within, foundBy = 0, breaks }) => {
  plant?.();
  let failure: Failure | null = null;
  for (const seed of [foundBy, ...Array.from({ length: within }).keys()])
    failure ??= play(drawPlan(seed), { ...AS_IT_IS, ...wiring });
  expect(failure?.violation.message ?? 'everything held').toMatch(breaks);
});
