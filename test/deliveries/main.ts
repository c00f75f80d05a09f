// `npm run deliveries`: many alerts to receivers that misbehave, through `kill -9` of the sender at random moments.
import { parseArgs } from 'node:util';
import { torture } from './torture.ts';

const { values } = parseArgs({
  options: {
    alerts: { type: 'string', default: '10000' },
    receivers: { type: 'string', default: '50' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    seconds: { type: 'string', default: '3600' },
  },
});

let shownAt = 0;
const result = await torture({
  alerts: Number(values.alerts),
  receivers: Number(values.receivers),
  kills: Number(values.kills),
  seed: Number(values.seed),
  secondsMax: Number(values.seconds),
  onProgress(done, of, killed) {
    if (performance.now() - shownAt < 2_000) return;
    shownAt = performance.now();
    process.stderr.write(`\r${done} of ${of} taken, killed ${killed} times `);
  },
});
process.stderr.write('\n');
process.stdout.write(`${JSON.stringify({ seed: values.seed, ...result }, null, 2)}\n`);
process.exitCode = result.faults.length === 0 ? 0 : 1;
