import { counterKey } from '../../src/leases/exchange.ts';
import { Dice } from '../simulation/dice.ts';
import { must } from '../simulation/violation.ts';
import type { LimitRow } from './database.ts';
import { type SimulatedNode, WAIT_MS } from './node.ts';
import type { World } from './world.ts';

/** Longer than any lease: whatever was unreachable is known to be gone. */
const SETTLE_ROUNDS = 8;
const SETTLE_MS = 450;
const ROUND_MS = 50;
const TAG = 'a';

/** Everything works again: all that is left can be used, by one call or by several, and the ledger has each call once. */
export function checkRest(world: World): void {
  const dice = new Dice(world.plan.seed + 1);
  world.deliverAll();
  world.heal();
  settle(world);
  for (const node of world.nodes) must(node.waiting.length === 0, () => `6: calls of ${node.name} wait for ever`);
  checkLedger(world);
  const nodes = world.nodes.filter(({ isUp }) => isUp);
  const [first, second] = [dice.pick(nodes), dice.pick(nodes)];
  if (!first || !second) return;
  const shares = [
    { node: first, share: 0.5 },
    { node: second, share: 0.5 },
  ];
  if (first !== second) probe(world, shares, `a call each at ${first.name} and ${second.name}`);
  // Now each node has amounts that the other needs.
  probe(world, [{ node: second, share: 1 }], `one call at ${second.name}`);
  probe(world, [{ node: first, share: 1 }], `one call at ${first.name}`);
}

function settle(world: World): void {
  for (let round = 0; round < SETTLE_ROUNDS; round += 1) world.round(SETTLE_MS);
}

interface ProbeCall {
  readonly node: SimulatedNode;
  /** Part of what is left that it needs, of each limit. */
  readonly share: number;
}

/** Calls that need all that is left are admitted before they have waited too long. They then use nothing. */
function probe(world: World, calls: readonly ProbeCall[], who: string): void {
  // A former version doesn't follow recalls; it returns what has been idle for a while.
  if (world.nodes.some(({ isFormer, isUp }) => isFormer && isUp)) settle(world);
  const places = new Map<string, LimitRow>();
  const left = new Map<number, number>();
  const some = world.nodes.find(({ isUp }) => isUp);
  for (const limit of world.database.limits.values()) {
    if (limit.isRemoved || !some) continue;
    const place = some.place(limit, TAG);
    places.set(counterKey(place), limit);
    left.set(limit.counter, leftOf(world, counterKey(place)));
  }
  const admitted = new Map<SimulatedNode, number>();
  for (const { node, share } of calls) {
    const needs = new Map<number, number>();
    for (const [counter, amount] of left) if (amount * share >= 1) needs.set(counter, Math.floor(amount * share));
    const onAdmitted = (id: number): void => void admitted.set(node, id);
    node.call({ needs, tag: TAG, onAdmitted });
  }
  for (let ms = 0; ms < WAIT_MS && admitted.size < calls.length; ms += ROUND_MS) world.round(ROUND_MS);
  const isSameWindow = [...places].every(([key, limit]) => some && counterKey(some.place(limit, TAG)) === key);
  const text = [...left].map(([counter, amount]) => `${amount} of limit ${counter}`).join(', ');
  must(admitted.size === calls.length || !isSameWindow, () => `6: ${text} left, and not usable by ${who}`);
  for (const [node, id] of admitted) node.end(id, () => 0);
}

/** What nobody used, and no node that is gone for ever may have used. */
function leftOf(world: World, key: string): number {
  const tally = [...world.truth.all()].find(([each]) => each === key)?.[1];
  const head = world.database.authority.standing(key);
  if (!tally)
    return [...world.database.limits.values()].find(({ counter }) => key.startsWith(`${counter} `))?.amount ?? 0;
  const gone = world.nodes.filter(({ isUp }) => !isUp);
  let left = tally.amount - tally.spent - tally.open;
  for (const { name, journal, open } of gone) {
    // Counted in the truth already, as far as it really happened.
    for (const { uses } of journal) for (const use of uses) if (counterKey(use.place) === key) left += use.counted;
    for (const { needs } of open.values()) left += needs.get(key)?.need ?? 0;
    left -= Number(head?.grants.get(name)?.granted ?? 0);
  }
  return left;
}

/** Each ended call of a machine that is not gone is in the ledger, and counts what it used. */
function checkLedger({ nodes, database }: World): void {
  const used = new Map<string, number>();
  for (const { name, journal, isUp } of nodes) {
    for (const { id, uses } of journal) {
      if (!isUp) continue;
      must(database.shipped.has(id), () => `4: call ${id} of ${name} is not in the ledger`);
      for (const { place, counted } of uses) {
        const key = `${name} ${counterKey(place)}`;
        used.set(key, (used.get(key) ?? 0) + counted);
      }
    }
  }
  for (const { place: at, grants } of database.authority.standings())
    for (const { name, isUp } of nodes) {
      const counted = Number(grants.get(name)?.used ?? 0);
      const sum = used.get(`${name} ${counterKey(at)}`) ?? 0;
      must(
        !isUp || counted === sum,
        () => `4: ${counted} of ${counterKey(at)} counted for ${name}, its calls used ${sum}`,
      );
    }
}
