import { AsyncLocalStorage } from 'node:async_hooks';

/** A claim on a job. Another claim on the same job, also by the same process, has another holder. */
export interface JobClaim {
  readonly name: string;
  readonly holder: string;
}

const current = new AsyncLocalStorage<readonly JobClaim[]>();
const NO_CLAIMS: readonly JobClaim[] = [];

/** Runs the work of a claimed job. An engine that several processes use refuses its writes once the claim is lost. */
export function runUnderClaim<Result>(claim: JobClaim, work: () => Promise<Result>): Promise<Result> {
  return current.run([...currentClaims(), claim], work);
}

/** Runs work that a job starts but that is not part of it: other jobs, deliveries, and the claims themselves. */
export function runWithoutClaims<Result>(work: () => Result): Result {
  return current.run(NO_CLAIMS, work);
}

/** Returns the claims that the current code runs under; empty = it is not part of a claimed job. */
export function currentClaims(): readonly JobClaim[] {
  return current.getStore() ?? NO_CLAIMS;
}
