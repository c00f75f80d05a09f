import { setTimeout as pause } from 'node:timers/promises';
import { Dice } from '../simulation/dice.ts';
import type { ForwarderCut } from '../support/forwarder.ts';
import type { ServiceCluster } from './service-cluster.ts';

const CUTS: readonly [ForwarderCut, ...ForwarderCut[]] = ['closes', 'stalls', 'loses'];
/** The server is away for up to so long. */
const AWAY_MS_MAX = 4_000;

interface FaultPlan {
  readonly kills: number;
  readonly restarts: number;
  /** How long each cut between a node and the server lasts. */
  readonly cutsMs: readonly number[];
  readonly seed: number;
}

type Fault = { readonly kind: 'kill' | 'restart' } | { readonly kind: 'cut'; readonly ms: number };

/** Kills nodes, restarts the database, and cuts nodes off from it. A node that is cut off is not killed. */
export class NodeFaults {
  readonly #cluster: ServiceCluster;
  readonly #dice: Dice;
  readonly #faults: readonly Fault[];
  readonly #cut = new Set<number>();
  readonly #cuts: Promise<void>[] = [];
  /** What happened, for people. */
  readonly log: string[] = [];

  constructor(cluster: ServiceCluster, { kills, restarts, cutsMs, seed }: FaultPlan) {
    this.#cluster = cluster;
    this.#dice = new Dice(seed);
    const faults: Fault[] = [
      ...Array.from({ length: kills }, () => ({ kind: 'kill' }) as const),
      ...Array.from({ length: restarts }, () => ({ kind: 'restart' }) as const),
      ...cutsMs.map((ms) => ({ kind: 'cut', ms }) as const),
    ];
    this.#faults = faults
      .map((fault) => ({ fault, place: this.#dice.next() }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ fault }) => fault);
  }

  /** Makes all faults, one after the other. Cuts last on while others happen. @param ready waits for the turn of a fault */
  async run(ready: (number: number, of: number) => Promise<void>): Promise<void> {
    for (const [number, fault] of this.#faults.entries()) {
      await ready(number, this.#faults.length);
      await this.#make(fault);
    }
    await Promise.all(this.#cuts);
  }

  async #make(fault: Fault): Promise<void> {
    const { server } = this.#cluster;
    if (fault.kind === 'restart') {
      const ms = this.#dice.whole(0, AWAY_MS_MAX);
      this.log.push(`the database is away for ${ms} ms`);
      await server.crash();
      await pause(ms);
      return await server.start();
    }
    const node = await this.#connected();
    if (fault.kind === 'cut') return void this.#cuts.push(this.#cutOff(node, fault.ms));
    this.log.push(`node ${node} is killed`);
    await this.#cluster.kill(node);
    await this.#cluster.startNode(node);
  }

  /** Returns a node that is not cut off. */
  async #connected(): Promise<number> {
    for (;;) {
      const found = this.#dice.pick(this.#cluster.nodes.filter((node) => !this.#cut.has(node)));
      if (found !== undefined) return found;
      await Promise.race(this.#cuts);
    }
  }

  async #cutOff(node: number, ms: number): Promise<void> {
    const how = this.#dice.pick(CUTS);
    this.log.push(`node ${node} is cut off for ${ms} ms (${how})`);
    const forwarder = this.#cluster.forwarder(node);
    this.#cut.add(node);
    forwarder.cut(how);
    await pause(ms);
    forwarder.mend();
    this.#cut.delete(node);
  }
}
