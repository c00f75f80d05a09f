import { TollbookError } from '../../domain/errors.ts';
import { type Actor, audited } from './audit.ts';
import type { RecordContext } from './context.ts';
import { forgetJournals } from './journal.ts';
import type { RecordTables, RecordTransaction } from './tables.ts';
import { DAY_MS } from '../../domain/time/units.ts';

/** A gateway process with its journal. */
export interface NodeRecord {
  /** Id of its journal. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly startedAt: number;
  readonly seenAt: number;
  /** null = it runs, or it died. */
  readonly stoppedAt: number | null;
  /** Ended calls that are only in its journal. */
  readonly unshippedCalls: number;
  /** Time since all its calls were in the ledger. */
  readonly lagMs: number;
}

/** `silent`: it neither runs nor was it stopped. Its last calls are in its journal until it starts again. */
export type NodeState = 'running' | 'silent' | 'stopped';
export type NodeCounts = Readonly<Record<NodeState, number>>;

/** Intervals at which a node notes that it runs, on a database of several nodes and on its own. */
export const NODE_SEEN_EVERY_MS = { shared: 10_000, alone: 60_000 };
/** Intervals without a note after which a node counts as silent. */
const SILENT_AFTER = 3;

export function nodeState({ seenAt, stoppedAt }: NodeRecord, now: number, isShared: boolean): NodeState {
  if (stoppedAt !== null) return 'stopped';
  const everyMs = isShared ? NODE_SEEN_EVERY_MS.shared : NODE_SEEN_EVERY_MS.alone;
  return now - seenAt > SILENT_AFTER * everyMs ? 'silent' : 'running';
}

export const ONE_NODE: NodeCounts = { running: 1, silent: 0, stopped: 0 };

/** Counts the nodes on a shared database by state. */
export function countNodes(nodes: readonly NodeRecord[], now: number): NodeCounts {
  const counts = { running: 0, silent: 0, stopped: 0 };
  for (const node of nodes) counts[nodeState(node, now, true)] += 1;
  return counts;
}

/** Returns the earliest start of a node that was not stopped, or of this process. */
export function firstStart(nodes: readonly NodeRecord[], own: number): number {
  return Math.min(own, ...nodes.filter(({ stoppedAt }) => stoppedAt === null).map(({ startedAt }) => startedAt));
}

/** Returns the time before which all calls of the nodes are in the ledger; Infinity = no node has other calls. */
export function shippedUntil(nodes: readonly NodeRecord[]): number {
  const open = nodes.filter(({ stoppedAt, unshippedCalls }) => stoppedAt === null || unshippedCalls > 0);
  return Math.min(Infinity, ...open.map(({ seenAt, lagMs }) => seenAt - lagMs));
}

type NodeStart = Pick<NodeRecord, 'id' | 'name' | 'version'>;
type NodeProgress = Pick<NodeRecord, 'unshippedCalls' | 'lagMs'>;

/** The nodes on a database. Each one writes its own row. */
export interface NodeRecords {
  /** Notes that a node starts, again or for the first time. Forgets nodes that were not seen for ninety days. */
  start(node: NodeStart, at: number): Promise<void>;
  /** Notes that a node runs; false = it was forgotten. */
  see(id: string, progress: NodeProgress, at: number): Promise<boolean>;
  /** Notes that a node has ended as planned. */
  stop(id: string, progress: NodeProgress, at: number): Promise<void>;
  /** Forgets a node that never comes back, with its notes. Throws `not_found` for an unknown one. */
  forget(id: string, uncertain: UncertainGrants, actor: Actor): Promise<NodeRecord>;
  /** Lists all nodes, by name. */
  list(): Promise<NodeRecord[]>;
}

const FORGOTTEN_AFTER_MS = 90 * DAY_MS;

/** Treatment of amounts that a node was granted and may have used: they stay counted, or are free again. */
export type UncertainGrants = 'count' | 'free';

export function nodeRecords(context: RecordContext): NodeRecords {
  const { db } = context;
  return {
    start: ({ id, name, version }, at) =>
      // In a transaction, so that each limit is created before this node starts or waits for its calls.
      db.transaction().execute(async (tx) => {
        const old = tx.deleteFrom('nodes').where('seen_at', '<', at - FORGOTTEN_AFTER_MS);
        const forgotten = await old.where('id', '!=', id).returning('id').execute();
        const gone = forgotten.map((row) => row.id);
        await forgetNotes(tx, gone);
        const row = { name, version, started_at: at, seen_at: at, stopped_at: null, unshipped_calls: 0, lag_ms: 0 };
        const insert = tx.insertInto('nodes').values({ id, ...row });
        await insert.onConflict((conflict) => conflict.column('id').doUpdateSet(row)).execute();
      }),
    async see(id, progress, at) {
      const seen = db.updateTable('nodes').set({ seen_at: at, stopped_at: null, ...progressColumns(progress) });
      return (await seen.where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
    },
    async stop(id, progress, at) {
      const stopped = db.updateTable('nodes').set({ seen_at: at, stopped_at: at, ...progressColumns(progress) });
      await stopped.where('id', '=', id).execute();
    },
    forget: (id, uncertain, actor) =>
      audited(context, actor, async (tx, note) => {
        const row = await tx.deleteFrom('nodes').where('id', '=', id).returningAll().executeTakeFirst();
        if (!row) throw new TollbookError('not_found', `There is no node "${id}".`);
        const { name, unshippedCalls } = fromNodeRow(row);
        await forgetNotes(tx, [id]);
        const before = { name, unshippedCalls };
        await note({ workspaceId: null, action: 'node.forget', subject: id, before, after: { uncertain } });
        return fromNodeRow(row);
      }),
    async list() {
      const rows = await db.selectFrom('nodes').selectAll().orderBy('name').orderBy('id').execute();
      return rows.map(fromNodeRow);
    },
  };
}

async function forgetNotes(tx: RecordTransaction, nodes: readonly string[]): Promise<void> {
  await forgetJournals(tx, nodes);
  if (nodes.length > 0) await tx.deleteFrom('pending_backfills').where('node', 'in', nodes).execute();
}

function progressColumns({ unshippedCalls, lagMs }: NodeProgress): Pick<NodeRow, 'unshipped_calls' | 'lag_ms'> {
  return { unshipped_calls: unshippedCalls, lag_ms: lagMs };
}

type NodeRow = RecordTables['nodes'];

function fromNodeRow(row: NodeRow): NodeRecord {
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    startedAt: row.started_at,
    seenAt: row.seen_at,
    stoppedAt: row.stopped_at,
    unshippedCalls: row.unshipped_calls,
    lagMs: row.lag_ms,
  };
}
