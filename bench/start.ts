// From the start of the process to the first answered call: `node bench/start.ts [--rounds 5] [--write]`.
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Crowd, fillLedger } from './many-limits.ts';
import { machine, median, table, writeIntoPage } from './page.ts';
import { createService, startService, startUpstream, type Target } from './targets.ts';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, write: { type: 'boolean', default: false } },
});

const CROWDS: readonly Crowd[] = [
  { limits: 0, counters: 0 },
  { limits: 10, counters: 100_000 },
  { limits: 100_000, counters: 100_000 },
];
const ASK_AGAIN_MS = 5;
const body = JSON.stringify({
  model: 'claude-sonnet-4-5',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'Hello' }],
});

const upstream = await startUpstream();
const rows: string[][] = [];
try {
  for (const crowd of CROWDS)
    rows.push([crowd.limits.toLocaleString('en'), crowd.counters.toLocaleString('en'), ...(await measure(crowd))]);
} finally {
  await upstream.child.stop();
}
const text = [
  table(['limits', 'counters', 'start to first answered call', 'CPU'], rows),
  `Medians of ${options.rounds} starts; ${machine()}.`,
].join('\n\n');
process.stdout.write(`${text}\n`);
if (options.write) writeIntoPage('start', text);

async function measure(crowd: Crowd): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tollbook-start-'));
  try {
    const service = await createService(upstream, folder);
    if (crowd.limits > 0) await fillLedger(service.env.SVC_DATA_DIR, crowd);
    const [wall, cpu]: [number[], number[]] = [[], []];
    for (let round = 0; round < Number(options.rounds); round += 1) {
      const began = performance.now();
      const target = startService(service);
      await firstAnswer(target);
      wall.push(performance.now() - began);
      cpu.push((await target.child.usage()).cpuMicros / 1_000);
      await target.child.stop();
    }
    return [wall, cpu].map((ms) => `${(median(ms) / 1_000).toFixed(2)} s`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function firstAnswer(target: Target): Promise<void> {
  while (!(await answers(target))) await setTimeout(ASK_AGAIN_MS);
}

function answers({ port, path, headers }: Target): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const call = request({ port, path, headers, method: 'POST', host: '127.0.0.1' }, (answer) => {
      answer.resume().once('end', () => {
        if (answer.statusCode === 200) resolve(true);
        else reject(new Error(`The first call got ${answer.statusCode}.`));
      });
    });
    call.once('error', () => resolve(false));
    call.end(body);
  });
}
