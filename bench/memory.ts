// What memory the whole service holds over many calls, and per open stream:
// `node bench/memory.ts [--calls 1000000] [--streams 1000] [--write]`.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { benchFile, Child } from './child.ts';
import type { Load, LoadResult } from './load.ts';
import { machine, table, writeIntoPage } from './page.ts';
import { startTollbook, startUpstream, type Target } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '1000000' },
    streams: { type: 'string', default: '1000' },
    write: { type: 'boolean', default: false },
  },
});

const CONNECTIONS = 32;
const STEPS = 10;
const STEP_MS = 1_000;
const SETTLE_MS = 3_000;

const request = { model: 'claude-sonnet-4-5', max_tokens: 1_000, messages: [{ role: 'user', content: 'Hello' }] };

const folder = await mkdtemp(join(tmpdir(), 'tollbook-memory-'));
const load = new Child(benchFile('load.ts'));
const upstream = await startUpstream();
const service = await startTollbook(upstream, folder);
try {
  const text = [
    await overManyCalls(Number(options.calls)),
    await overOpenStreams(Number(options.streams)),
    `Resident memory of the whole process; ${machine()}.`,
  ].join('\n\n');
  process.stdout.write(`${text}\n`);
  if (options.write) writeIntoPage('memory', text);
} finally {
  await Promise.all([load.stop(), service.child.stop(), upstream.child.stop()]);
  await rm(folder, { recursive: true, force: true });
}

async function overManyCalls(callsWanted: number): Promise<string> {
  const rows = [['0', await residentMegabytes(service)]];
  for (let calls = 0; calls < callsWanted;) {
    const next = Math.min(callsWanted, calls + callsWanted / STEPS);
    while (calls < next) calls += await someCalls();
    rows.push([calls.toLocaleString('en'), await residentMegabytes(service)]);
  }
  return table(['calls', 'memory'], rows);
}

async function someCalls(): Promise<number> {
  const { port, path, headers, keys } = service;
  const body = JSON.stringify(request);
  const ask: Load = {
    port,
    path,
    headers,
    keys,
    body,
    connections: CONNECTIONS,
    milliseconds: STEP_MS,
    callsPerSecond: null,
  };
  const { calls, failures } = await load.ask<LoadResult>(ask);
  if (failures > 0) throw new Error(`${failures} of ${calls} calls failed.`);
  return calls;
}

/** Opens streams that have begun and don't end; the service is warm from the calls before. */
async function overOpenStreams(count: number): Promise<string> {
  await pause(SETTLE_MS);
  const { rssBytes: before } = await service.child.usage();
  const sockets = await Promise.all(Array.from({ length: count }, openStream));
  await pause(SETTLE_MS);
  const { rssBytes: during } = await service.child.usage();
  for (const socket of sockets) socket.destroy();
  const kilobytes = ((during - before) / count / 1_000).toFixed(1);
  return `${count.toLocaleString('en')} open streams: ${kilobytes} kB each.`;
}

async function openStream(): Promise<Socket> {
  const socket = connect(service.port, '127.0.0.1');
  await once(socket, 'connect');
  const body = JSON.stringify({ ...request, stream: true, metadata: { user_id: 'held' } });
  const headers = { ...service.headers, host: 'localhost', 'content-length': String(body.length) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${service.path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  let seen = '';
  while (!seen.includes('content_block_delta')) {
    const [piece] = (await once(socket, 'data')) as [Buffer];
    seen += piece.toString('latin1');
    if (!seen.startsWith('HTTP/1.1 200')) throw new Error(`A stream was refused: ${seen}`);
  }
  return socket;
}

async function residentMegabytes({ child }: Target): Promise<string> {
  return `${((await child.usage()).rssBytes / 1e6).toFixed(0)} MB`;
}
