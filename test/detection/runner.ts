import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { Finding } from '../../src/domain/anomaly/finding.ts';
import { WHOLE_WORKSPACE } from '../../src/domain/anomaly/series.ts';
import { detectAnomaliesJob } from '../../src/jobs/detect-anomalies.ts';
import { silentLog } from '../../src/lib/log.ts';
import { openRecords } from '../../src/storage/records/records.ts';
import { openDatabase } from '../../src/storage/sqlite/open-database.ts';
import { HOUR_MS } from '../../src/domain/time/units.ts';

/** One process of several on a store, which looks at each turn and always finds the same. */
export interface RunnerOrder {
  readonly folder: string;
  readonly secret: string;
  readonly name: string;
  /** Its first turn, epoch ms; each message to it is the time of a turn, 0 = it was the last. */
  readonly begin: number;
}

/** How often it looked, and how many alerts it was the one to tell. */
export interface RunnerAnswer {
  readonly looked: number;
  readonly told: number;
}

const { folder, secret, name, begin } = workerData as RunnerOrder;
const finding: Finding = {
  type: 'COST_SPIKE',
  kind: 'cost',
  severity: 'warning',
  scope: WHOLE_WORKSPACE,
  name: 'the workspace',
  at: begin,
  from: begin,
  to: begin + HOUR_MS,
  unit: 'usd',
  observed: 60e9,
  expected: 3e9,
  threshold: 7e9,
  factor: 20,
  excessNano: 57e9,
  basis: 'hour_of_day',
  comparable: 28,
  strength: 8,
  text: 'the workspace spent $60.00 in one hour, 20 times the usual $3.00.',
  movers: [],
  also: [],
  covers: [],
};

const time = { now: begin };
const clock = (): number => time.now;
const database = await openDatabase(join(folder, 'ledger.db'));
const records = await openRecords({ db: database.db, dataDir: folder, secret, clock });
const answer = { looked: 0, told: 0 };
const job = detectAnomaliesJob({
  detector: {
    async look() {
      answer.looked += 1;
      return { hour: begin, findings: [finding], verdicts: [] };
    },
  },
  records,
  clock,
  log: silentLog,
  runner: name,
  onRaised: (alerts) => (answer.told += alerts.length),
});
parentPort?.on('message', (now: number) => void turn(now));
parentPort?.postMessage(answer);

async function turn(now: number): Promise<void> {
  if (now === 0) {
    await database.close();
    return parentPort?.close();
  }
  time.now = now;
  await job.run(new AbortController().signal);
  parentPort?.postMessage(answer);
}
