// The load generator: its own HTTP client on bare sockets, so that it is never what is measured.
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { answerParent } from './child.ts';
import { benchSecret } from './keys-and-limits.ts';
import { readMessages } from './raw-http.ts';

export interface Load {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** So many wrapped keys take turns, call by call; 1 = the one in `headers` alone. */
  readonly keys: number;
  readonly body: string;
  readonly connections: number;
  readonly milliseconds: number;
  /** Calls begun per second; null = each connection begins its next call when the last is answered. */
  readonly callsPerSecond: number | null;
}

export interface LoadResult {
  readonly calls: number;
  /** Answers other than 200, and connections that broke. */
  readonly failures: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
}

/** A connection carries one call at a time; `null` = idle. */
interface Line {
  readonly socket: Socket;
  startedAt: number | null;
}

if (process.send) answerParent((load: Load) => run(load));

async function run(load: Load): Promise<LoadResult> {
  const nextRequest = requests(load);
  const histogram = createHistogram();
  const idle: Line[] = [];
  const waiting: number[] = [];
  let failures = 0;
  let running = true;
  let finished: () => void = () => {};

  const begin = (line: Line, startedAt: number) => {
    line.startedAt = startedAt;
    line.socket.write(nextRequest());
  };
  const done = (line: Line, ok: boolean) => {
    if (line.startedAt !== null)
      histogram.record(Math.max(1, Math.round((performance.now() - line.startedAt) * 1_000)));
    if (!ok) failures += 1;
    line.startedAt = null;
    const queued = waiting.shift();
    if (queued !== undefined) return begin(line, queued);
    if (running && load.callsPerSecond === null) return begin(line, performance.now());
    idle.push(line);
    if (!running && idle.length === load.connections) finished();
  };

  const lines = await Promise.all(Array.from({ length: load.connections }, () => openLine(load.port, done)));
  if (load.callsPerSecond === null) for (const line of lines) begin(line, performance.now());
  else idle.push(...lines);
  const pacer =
    load.callsPerSecond === null
      ? null
      : pace(load.callsPerSecond, (at) => {
          const line = idle.pop();
          if (line) begin(line, at);
          else waiting.push(at);
        });
  await new Promise((resolve) => setTimeout(resolve, load.milliseconds));
  if (pacer) clearInterval(pacer);
  running = false;
  if (idle.length < load.connections) await new Promise<void>((resolve) => (finished = resolve));
  for (const { socket } of lines) socket.destroy();
  const { count: calls } = histogram;
  return { calls, failures, p50Micros: histogram.percentile(50), p99Micros: histogram.percentile(99) };
}

/** Begins the calls that are due, once a millisecond: the share of a second that has passed, never a burst to catch up. */
function pace(callsPerSecond: number, begin: (at: number) => void): NodeJS.Timeout {
  let last = performance.now();
  let due = 0;
  return setInterval(() => {
    const now = performance.now();
    due = Math.min(due + ((now - last) * callsPerSecond) / 1_000, callsPerSecond / 100);
    last = now;
    for (; due >= 1; due -= 1) begin(now);
  }, 1);
}

async function openLine(port: number, done: (line: Line, ok: boolean) => void): Promise<Line> {
  const socket = connect(port, '127.0.0.1');
  const line: Line = { socket, startedAt: null };
  readMessages(socket, (head) => done(line, head.startsWith('http/1.1 200')));
  socket.on('error', () => done(line, false));
  await new Promise((resolve) => socket.once('connect', resolve));
  return line;
}

/** Makes one request after the other. */
function requests({ port, path, headers, keys, body }: Load): () => Buffer | string {
  const { 'x-api-key': key, ...others } = headers;
  const all = { host: `127.0.0.1:${port}`, ...others, 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${path} HTTP/1.1\r\n${lines.join('')}x-api-key: `;
  const rest = `\r\n\r\n${body}`;
  if (keys === 1) {
    const request = Buffer.from(`${head}${key}${rest}`);
    return () => request;
  }
  let turn = Math.floor(Math.random() * keys);
  return () => `${head}${benchSecret(turn++ % keys)}${rest}`;
}
