import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import type { WorkerMetrics } from '../ipc/worker-messages.ts';
import { openToOthers, ownFolder } from '../ledger/data-folder.ts';
import { threadModule } from '../lib/concurrency/worker-thread.ts';
import type { Log } from '../lib/log.ts';
import type { GatewayService } from './gateway.ts';
import { startWorkersLedger, type WorkersLedger } from './ledger-client.ts';
import { requireFreePort } from './listen.ts';
import { ServedWorker } from './served-worker.ts';
import type { ServiceOptions } from './service.ts';

/** Wait before a worker that died is started again; doubled each time, up to the maximum. */
const RESTART_MS_MIN = 100;
const RESTART_MS_MAX = 10_000;
/** A worker that lived so long may be started again immediately. */
const STABLE_MS = 60_000;
/**
 * Opens a service of several workers: processes that share the port, and the ledger thread of this one. Throws
 * `TollbookError`s.
 */
export async function openWorkers({ config, log, clock }: ServiceOptions): Promise<GatewayService> {
  const lock = ownFolder(config.dataDir, clock);
  const open = openToOthers(config.dataDir);
  if (open !== null) log.warn(open);
  const service = new WorkerService(config, log);
  try {
    const { hasKeys, claimCode } = await service.open();
    return {
      url: service.url,
      hasKeys,
      claimCode,
      demo: { keys: [], machines: [], token: '' },
      async close() {
        await service.close();
        lock.release();
      },
    };
  } catch (error) {
    await service.close();
    lock.release();
    throw error;
  }
}

function prepareForks(): void {
  // Where the system does not share the port out: Node's own distribution leaves connections open, and unanswered, that it has
  // handed to a process that dies.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // Messages carry what JSON has no form for.
  const exec = fileURLToPath(threadModule('worker-process', import.meta.url));
  cluster.setupPrimary({ exec, args: [], serialization: 'advanced' });
}

class WorkerService {
  #config: Config;
  readonly #log: Log;
  readonly #workers = new Set<ServedWorker>();
  #ledger: WorkersLedger | null = null;
  #isClosing = false;
  url = '';

  constructor(config: Config, log: Log) {
    this.#config = config;
    this.#log = log;
  }

  async open(): Promise<{ hasKeys: boolean; claimCode: string | null }> {
    this.#config = { ...this.#config, port: await requireFreePort(this.#config) };
    const data = { config: this.#config, demo: false, hasWorkers: true, journalOpen: false };
    const ledger = startWorkersLedger(data, (error) => this.#ledgerDied(error));
    this.#ledger = ledger;
    const opened = await ledger.ready;
    prepareForks();
    const numbers = Array.from({ length: this.#config.workers }, (_, index) => index + 1);
    const urls = await Promise.all(numbers.map((number) => this.#start(number, ledger, RESTART_MS_MIN)));
    this.url = urls[0] ?? '';
    return opened;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all([...this.#workers].map((worker) => worker.stop()));
    if ((await this.#ledger?.close()) === false)
      this.#log.error('the ledger did not close in time; the rest is in the journals, for the next start');
  }

  /** Starts a worker, and starts it again whenever it dies. Returns the URL that it serves. */
  async #start(number: number, ledger: WorkersLedger, waitMs: number): Promise<string> {
    const worker = new ServedWorker({
      number,
      config: this.#config,
      ledger,
      gatherMetrics: () => this.#gatherMetrics(),
    });
    this.#workers.add(worker);
    const began = performance.now();
    worker.onExit(() => {
      this.#workers.delete(worker);
      if (this.#isClosing || !worker.hasServed) return;
      this.#log.error({ worker: number }, 'a worker died; it is started again');
      const lived = performance.now() - began;
      this.#startLater(number, ledger, lived > STABLE_MS ? RESTART_MS_MIN : waitMs);
    });
    return await worker.serving;
  }

  #startLater(number: number, ledger: WorkersLedger, waitMs: number): void {
    setTimeout(() => {
      if (this.#isClosing) return;
      const next = Math.min(2 * waitMs, RESTART_MS_MAX);
      this.#start(number, ledger, next).catch((error: unknown) => {
        this.#log.error({ err: error, worker: number }, 'a worker could not be started; it is tried again');
        this.#startLater(number, ledger, next);
      });
    }, waitMs).unref();
  }

  async #gatherMetrics(): Promise<WorkerMetrics[]> {
    const all = await Promise.all([...this.#workers].map((worker) => worker.readMetrics()));
    return all.filter((metrics) => metrics !== null).toSorted((a, b) => a.worker - b.worker);
  }

  /** Ends the service, to be restarted. Calls are safe in the journals. */
  #ledgerDied(error: Error): void {
    this.#log.error({ err: error }, 'the ledger thread died; the service stops so that it can be restarted');
    process.exitCode = 1;
    this.#isClosing = true;
    for (const worker of this.#workers) worker.kill();
  }
}
