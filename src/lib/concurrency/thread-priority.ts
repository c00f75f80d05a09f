import { readlinkSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** Lowest priority of a system. */
const NICE_MAX = 19;

/**
 * Lets the other threads of this process, and other processes, go before this thread and the threads that it starts. Does nothing where a
 * thread has no priority of its own, which only Linux gives it, and where `/proc` is missing.
 *
 * @param by steps of `nice`
 */
export async function lowerThreadPriority(by: number): Promise<void> {
  if (process.platform !== 'linux') return;
  // The first file operation starts Node's helper threads, which serve all threads of the process and inherit the priority.
  await stat('.');
  const thread = readThreadId();
  if (thread !== null) setPriority(thread, Math.min(NICE_MAX, getPriority(thread) + by));
}

function readThreadId(): number | null {
  try {
    return Number(basename(readlinkSync('/proc/thread-self')));
  } catch {
    return null;
  }
}
