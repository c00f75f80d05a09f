import type { ForgottenNode, NodeList } from '../contract/installation.ts';
import { TollbookError } from '../domain/errors.ts';
import { shownAmount } from '../domain/limits/limit-fields.ts';
import { toIso } from '../domain/time/period.ts';
import { type Clock, type Scheduler, systemScheduler } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { LeaseStore } from '../storage/lease-store.ts';
import type { NodeGrants } from '../storage/node-amounts.ts';
import type { Actor } from '../storage/records/audit.ts';
import { type NodeRecord, type NodeRecords, nodeState, type UncertainGrants } from '../storage/records/nodes.ts';

interface NodeServiceParts {
  readonly nodes: NodeRecords;
  readonly node: Pick<NodeRecord, 'id' | 'name' | 'version'>;
  /** Interval at which it notes that it runs. */
  readonly everyMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly scheduler?: Scheduler;
}

/** Notes in the database that this node runs, and how far its journal is ahead of the ledger. */
export class NodeService {
  readonly #parts: NodeServiceParts;
  readonly #scheduler: Scheduler;
  /** Last call in the journal, and in the ledger. */
  #committed = 0;
  #shipped = 0;
  /** The last call at some time when the ledger did not have it; null = the ledger has all. */
  #awaited: { readonly endSeq: number; readonly since: number } | null = null;
  #callOff = (): void => {};
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: NodeServiceParts) {
    this.#parts = parts;
    this.#scheduler = parts.scheduler ?? systemScheduler;
  }

  async start(): Promise<void> {
    const { nodes, node, clock } = this.#parts;
    await nodes.start(node, clock());
    this.#seeLater();
  }

  /** Calls are in the journal up to this end. */
  committed(endSeq: number): void {
    this.#committed = Math.max(this.#committed, endSeq);
    this.#await();
  }

  /** Calls are in the ledger up to this end. */
  shipped(mark: number): void {
    this.#shipped = mark;
    if (this.#awaited && mark >= this.#awaited.endSeq) this.#awaited = null;
    this.#await();
  }

  /** Stops noting that the node runs: its process has died. */
  abandon(): void {
    this.#callOff();
  }

  async close(): Promise<void> {
    const { nodes, node, clock, log } = this.#parts;
    this.#callOff();
    await this.#writing;
    try {
      await nodes.stop(node.id, this.#progress(), clock());
    } catch (error) {
      log.warn({ err: error }, 'this node could not note that it stops; other nodes will show it as silent');
    }
  }

  #await(): void {
    if (this.#committed > this.#shipped) this.#awaited ??= { endSeq: this.#committed, since: this.#parts.clock() };
  }

  #progress(): Pick<NodeRecord, 'unshippedCalls' | 'lagMs'> {
    const unshippedCalls = Math.max(0, this.#committed - this.#shipped);
    const lagMs = this.#awaited === null ? 0 : Math.max(0, this.#parts.clock() - this.#awaited.since);
    return { unshippedCalls, lagMs };
  }

  #seeLater(): void {
    this.#callOff = this.#scheduler.later(() => {
      this.#writing = this.#see();
      this.#seeLater();
    }, this.#parts.everyMs);
  }

  async #see(): Promise<void> {
    const { nodes, node, clock, log } = this.#parts;
    try {
      if (!(await nodes.see(node.id, this.#progress(), clock()))) await nodes.start(node, clock());
    } catch (error) {
      log.warn({ err: error }, 'this node could not note that it runs; other nodes may show it as silent');
    }
  }
}

interface ListParts {
  readonly nodes: Pick<NodeRecords, 'list'>;
  readonly clock: Clock;
  readonly hasNodes: boolean;
  readonly grants: readonly NodeGrants[];
}

export async function listNodes({ nodes, clock, hasNodes, grants }: ListParts): Promise<NodeList> {
  const all = await nodes.list();
  const now = clock();
  const ofNode = Map.groupBy(grants, ({ node }) => node);
  return {
    shared: hasNodes,
    nodes: all.map((node) => ({
      id: node.id,
      name: node.name,
      version: node.version,
      state: nodeState(node, now, hasNodes),
      startedAt: toIso(node.startedAt),
      seenAt: toIso(node.seenAt),
      stoppedAt: node.stoppedAt === null ? null : toIso(node.stoppedAt),
      unshippedCalls: node.unshippedCalls,
      lagSeconds: node.lagMs / 1_000,
      grants: (ofNode.get(node.id) ?? []).map(({ unit, counters, amount }) => ({
        unit,
        counters,
        amount: shownAmount(unit, amount),
      })),
    })),
  };
}

interface ForgetParts {
  readonly records: { readonly nodes: NodeRecords };
  readonly hasNodes: boolean;
  readonly leases: Pick<LeaseStore, 'forget'> | null;
  readonly clock: Clock;
}

/** Forgets a node that never comes back. Its grants stay counted, or are free again. */
export async function forgetNode(
  { records: { nodes }, hasNodes, leases, clock }: ForgetParts,
  id: string,
  uncertain: UncertainGrants,
  actor: Actor,
): Promise<ForgottenNode> {
  const known = (await nodes.list()).find((node) => node.id === id);
  if (!known) throw new TollbookError('not_found', `There is no node "${id}".`);
  if (nodeState(known, clock(), hasNodes) === 'running')
    throw new TollbookError('conflict', `The node ${known.name} runs. Stop it first.`);
  if (leases && !(await leases.forget(id, uncertain)))
    throw new TollbookError('conflict', `The node ${known.name} may still admit calls. Try again in a minute.`);
  const { name, unshippedCalls } = await nodes.forget(id, uncertain, actor);
  return { id, name, unshippedCalls };
}
