// What looking for anomalies costs: `node bench/detection.ts [--entries 300000]`. CPU of the thread that answers reports
// (its own readings), and of the thread that judges; the longest time in which no report could be answered.
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { Detector } from '../src/detection/detector.ts';
import { openEngine } from '../src/storage/open.ts';
import { bigBook, DAYS, random, WORKSPACE } from './large-ledger.ts';
import { machine, table } from './page.ts';
import { HOUR_MS } from '../src/domain/time/units.ts';

const { values: flags } = parseArgs({ options: { entries: { type: 'string', default: '300000' } } });
const FIRST = Date.UTC(2026, 0, 1);
const TAGS = ['team', 'env', 'feature', 'customer', 'job'];
const VALUES = 25;

const folder = join(tmpdir(), 'tollbook-bench');
mkdirSync(folder, { recursive: true });
const file = join(folder, 'detection.db');
for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
const engine = await openEngine({ databaseUrl: null, file, synchronous: 'normal' });
for (const batch of bigBook(Number(flags.entries), FIRST)) {
  const entries = batch.entries.map((entry) =>
    Object.assign(entry, { tags: Object.fromEntries(TAGS.map((tag) => [tag, `${tag}-${random(VALUES)}`])) }),
  );
  await engine.store.entries.append({ ...batch, entries });
}

const detector = new Detector({
  reports: engine.store.reports,
  records: {
    workspaces: {
      get: async (id) => ({ id, name: 'bench', timeZone: 'Europe/Berlin', retentionDays: 400, createdAt: 0 }),
    },
    detection: { settings: async () => ({ sensitivity: 'normal', minExcessNano: 1_000_000_000 }) },
  },
});
const now = FIRST + DAYS * 24 * HOUR_MS - HOUR_MS / 2;
const rows: string[][] = [];
let series = 0;

async function measure(name: string, work: () => Promise<number>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const [own, all] = [process.threadCpuUsage(), process.cpuUsage()];
  delay.enable();
  series = await work();
  delay.disable();
  const [ownMs, allMs] = [msOf(process.threadCpuUsage(own)), msOf(process.cpuUsage(all))];
  rows.push([name, `${ownMs.toFixed(0)} ms`, `${(allMs - ownMs).toFixed(0)} ms`, `${(delay.max / 1e6).toFixed(0)} ms`]);
}

function msOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

const look = async (at: number): Promise<number> => (await detector.look(WORKSPACE, at)).verdicts.length;
await measure('first look after a start, and once a day', () => look(now));
for (const minutes of [5, 10, 15]) await measure('each turn of five minutes', () => look(now + minutes * 60_000));
await measure('backtest of 28 days', async () => {
  await detector.replay(WORKSPACE, { from: now - 28 * 24 * HOUR_MS, to: now });
  return series;
});
await engine.close();
process.stdout.write(`${series} series of 63 days, ${flags.entries} entries\n`);
process.stdout.write(
  `${table(['', 'CPU of the ledger thread', 'CPU of the detection thread', 'longest wait'], rows)}\n${machine()}\n`,
);
