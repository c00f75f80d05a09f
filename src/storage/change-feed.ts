import type { CounterPlace } from '../domain/limits/limit.ts';

/**
 * Kinds of changes that other nodes apply. `ref` is an id; of a token, its hash; of a document, its name; of a member, and
 * of a session that ended, the user.
 */
type ChangeKind =
  | 'key'
  | 'token'
  | 'prices'
  | 'document'
  | 'limit'
  | 'zone'
  | 'member'
  | 'session'
  | 'overrun'
  | 'alert_raised'
  | 'alert_resolved'
  | 'alert_read';

/** A place in the feed. `at` distinguishes it from another change in its place, after a failover that lost changes. */
export interface ChangePosition {
  readonly position: number;
  /** Epoch µs, by the database. */
  readonly at: number;
}

/** A committed change of a record, by any node. What it changed to is read from the record. */
export interface RecordChange extends ChangePosition {
  /** Another one = a newer version of another node wrote it. */
  readonly kind: ChangeKind;
  readonly ref: string;
  /** null = the whole installation. */
  readonly workspaceId: string | null;
}

/** Calls that a node has recorded, for streams on other nodes. */
export interface LiveNews {
  readonly workspaceId: string;
  readonly recorded: number;
  /** The newest calls, newest first. */
  readonly ids: readonly string[];
  readonly refused: number;
}

interface FeedListener {
  /** There may be changes after the last ones that were read. Also called after each new connection. */
  changed(): void;
  /** Another node has recorded calls. News from before the connection are lost. */
  news(news: LiveNews): void;
  /** Other nodes need what this one has of these counters. Recalls from before the connection are lost. */
  recalled(places: readonly CounterPlace[]): void;
}

/** Changes that the nodes on a database make, in the order of their commits. */
export interface ChangeFeed {
  /** Returns the position of the last change. */
  last(): Promise<ChangePosition>;
  /** Returns the first changes after a position; null = some of them are no longer there. */
  since(after: ChangePosition, limit: number): Promise<RecordChange[] | null>;
  /** Listens until `close`. A connection that breaks is opened again. */
  listen(listener: FeedListener): void;
  /** Sends news to other nodes. */
  announce(news: LiveNews): Promise<void>;
  /** Deletes changes that are older than `before`. Returns their number. */
  prune(before: number, limit: number): Promise<number>;
  close(): Promise<void>;
}
