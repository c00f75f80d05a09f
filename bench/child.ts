import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const START_MS_MAX = 60_000;
/** Units of times and sizes in `/proc`. */
const [TICK_MICROS, KIB] = [10_000, 1_024];

/** What a process has used since it began; resident memory now. */
export interface ProcessUsage {
  readonly cpuMicros: number;
  readonly rssBytes: number;
}

/** A process of the benchmark that answers questions. */
export class Child {
  readonly #process: ChildProcess;
  readonly #answers = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  readonly #script: string;
  #asked = 0;

  /** `alone`: without a channel to this process, as a service runs; it is then measured from outside. */
  constructor(script: string, options: { args?: string[]; env?: Record<string, string>; alone?: boolean } = {}) {
    this.#script = script;
    const { args = [], alone = false } = options;
    const env = { ...process.env, ...options.env };
    const probe = new URL('./probe.mjs', import.meta.url).href;
    this.#process = alone
      ? spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'ignore', 'inherit'], env })
      : fork(script, args, { execArgv: ['--import', probe], stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env });
    this.#process.on('message', (message: { id: number; answer: unknown }) => {
      this.#answers.get(message.id)?.resolve(message.answer);
      this.#answers.delete(message.id);
    });
    this.#process.on('exit', (code, signal) => {
      for (const { reject } of this.#answers.values()) reject(new Error(`${script} ended: ${code ?? signal}`));
    });
  }

  ask<T>(ask: unknown): Promise<T> {
    const id = ++this.#asked;
    return new Promise<T>((resolve, reject) => {
      this.#answers.set(id, { resolve: resolve as (answer: unknown) => void, reject });
      this.#process.send({ id, ask });
    });
  }

  usage(): Promise<ProcessUsage> {
    if (this.#process.channel) return this.ask('usage');
    return Promise.resolve(usageOf(this.#process.pid ?? 0));
  }

  /** Returns the CPU time of the process and of its workers, which run all the time. */
  cpuMicrosOfAll(): number {
    const pid = this.#process.pid ?? 0;
    const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return [pid, ...workers.map(Number)].reduce((sum, one) => sum + usageOf(one).cpuMicros, 0);
  }

  /** Returns the time for which its first thread could run and had no core. */
  waitMicros(): number {
    const pid = this.#process.pid ?? 0;
    const [, nanos] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ').map(Number);
    return (nanos ?? 0) / 1_000;
  }

  /** Returns the ids of its threads. */
  threads(): number[] {
    return readdirSync(`/proc/${this.#process.pid}/task`).map(Number);
  }

  /** Waits until the process accepts connections. */
  async listening(port: number): Promise<void> {
    const deadline = Date.now() + START_MS_MAX;
    while (!this.#ended && Date.now() < deadline) {
      if (await accepts(port)) return;
      await pause(50);
    }
    await this.stop();
    throw new Error(`${this.#script} does not listen on port ${port}.`);
  }

  get #ended(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  async stop(): Promise<void> {
    if (this.#ended) return;
    this.#process.kill('SIGTERM');
    const late = setTimeout(() => this.#process.kill('SIGKILL'), 5_000);
    await once(this.#process, 'exit');
    clearTimeout(late);
  }
}

/** As reported by Linux. */
function usageOf(pid: number): ProcessUsage {
  const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = after.split(' ').slice(11, 13).map(Number);
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { cpuMicros: ((user ?? 0) + (system ?? 0)) * TICK_MICROS, rssBytes: Number(kib) * KIB };
}

/** Answers the parent's questions in a child. */
export function answerParent(answer: (ask: never) => Promise<unknown>): void {
  process.on('message', (message: { id: number; ask: unknown }) => {
    if (message.ask === 'usage') return;
    void answer(message.ask as never).then((value) => process.send?.({ id: message.id, answer: value }));
  });
}

/** Path of a file next to the benchmark. */
export function benchFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const open = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return open;
}
