/** Names that say where in a client's work a call belongs; null = the client did not say. */
export interface CallContext {
  /** The given name of the session, else the hash of the assistant session. */
  readonly session: string | null;
  /** Agent within its session; null = the main agent. */
  readonly agent: string | null;
  /** Agent that started this one; null = the main agent. */
  readonly parentAgent: string | null;
  /**
   * Further agents above this one, nearest first: other parents that its calls named, and those above. Only where a limit
   * counts agents.
   */
  readonly olderAgents?: readonly string[];
  /** One run of a job, or all calls that serve one prompt. */
  readonly run: string | null;
  /** Kind of work, in the client's words, for instance `main`, `subagent` or `compaction`. */
  readonly requestClass: string | null;
  /** Span of the client that sent the call, as `traceparent` has it behind its version; absent = none. The store lacks it. */
  readonly parentSpan?: string;
}

/** An agent, with every parent that its calls named. */
export interface AgentParents {
  readonly agent: string;
  readonly parents: readonly string[];
}

export const NO_CONTEXT: CallContext = {
  session: null,
  agent: null,
  parentAgent: null,
  run: null,
  requestClass: null,
};
