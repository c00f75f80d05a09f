import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ToolSettings } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { threadModule } from '../lib/concurrency/worker-thread.ts';
import { localCacheFolder } from '../sessions/reports/local-usage.ts';
import type { ToolMachine } from './tool.ts';

/** Minimum time between automatic syncs of all tool servers on this machine. */
const AUTO_SYNC_EVERY_MS = 10 * 60_000;
const PRIVATE = 0o600;
const PRIVATE_FOLDER = 0o700;

export interface AutoSyncOptions {
  readonly settings: ToolSettings;
  readonly machine: ToolMachine;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Default: a separate process, which outlives this one. */
  readonly start?: () => void;
}

/**
 * Returns a function to call after each tool call. It starts a sync, unless one ran some minutes ago, in a separate
 * process: no answer waits for it, and closing the tool server does not end it.
 */
export function autoSync(options: AutoSyncOptions): () => void {
  const { settings, machine, clock, onError: onProblem, start = () => startSyncProcess(options) } = options;
  if (!settings.autoSync || settings.apiKey === null) return () => undefined;
  const mark = join(localCacheFolder(machine.env), 'auto-sync');
  let next = 0;
  return () => {
    const now = clock();
    if (now < next) return;
    next = now + AUTO_SYNC_EVERY_MS;
    try {
      const last = lastSync(mark);
      // One of the future was written before the clock was set right.
      if (last <= now && now - last < AUTO_SYNC_EVERY_MS) return;
      mkdirSync(dirname(mark), { recursive: true, mode: PRIVATE_FOLDER });
      writeFileSync(mark, String(now), { mode: PRIVATE });
      start();
    } catch (error) {
      onProblem(error);
    }
  };
}

/** Epoch ms; 0 = never. */
function lastSync(mark: string): number {
  try {
    return Number(readFileSync(mark, 'utf8')) || 0;
  } catch {
    return 0;
  }
}

/** Its failures go to this process's standard error. */
function startSyncProcess({ machine, onError: onProblem }: AutoSyncOptions): void {
  const program = fileURLToPath(threadModule('../main', import.meta.url));
  const child = spawn(process.execPath, [program, 'tools', '--sync-now'], {
    env: { ...machine.env },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
    windowsHide: true,
  });
  child.on('error', onProblem);
  child.unref();
}
