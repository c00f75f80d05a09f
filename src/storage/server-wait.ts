/** Wait for a database server, which may start at the same time as this process. */
export interface ServerWait {
  /** Time for the server to answer; 0 = one attempt. */
  readonly waitMsMax: number;
  /** Called with the reason before each further attempt. */
  readonly onWait?: (reason: string) => void;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}
