import { setFlagsFromString } from 'node:v8';

/** Bytes of bytecode: of one inlined function, and of all functions inlined into one. */
export const INLINING = ['--max-inlined-bytecode-size=1000', '--max-inlined-bytecode-size-cumulative=4000'] as const;

/**
 * Raises V8's inlining limits for code compiled from now on. A call passes through some 300 short functions; inlining
 * more of them takes 8% off a call's CPU time (decision 003).
 */
export function compileForCalls(): void {
  for (const flag of INLINING) setFlagsFromString(flag);
}
