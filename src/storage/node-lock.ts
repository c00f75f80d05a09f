import type { Scheduler } from '../lib/clock.ts';
import type { ServerWait } from './server-wait.ts';

/** Proof that this process alone is a node of a database: no other one has its journal, nor a copy of it. */
export interface NodeLock {
  release(): Promise<void>;
}

export interface NodeLockOptions extends ServerWait {
  /** Called with a sentence once another process is this node, which this one must then leave alone. */
  readonly onLost: (sentence: string) => void;
  /** Default: the system's timers. */
  readonly scheduler?: Scheduler;
}
