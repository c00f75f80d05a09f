import { parseArgs } from 'node:util';
import { seedOfRun } from '../seeded.ts';
import { compare } from './compare.ts';

// `npm run compare -- --calls 20000 --seed 7 [--kills 50]`

const SHOWN_MAX = 20;
const PROGRESS_CALLS = 2_000;

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(seedOfRun()) },
    kills: { type: 'string', default: '0' },
  },
});
const [calls, seed, kills] = [Number(values.calls), Number(values.seed), Number(values.kills)];
if (![calls, seed, kills].every(Number.isSafeInteger))
  throw new Error('--calls, --seed and --kills are whole numbers.');

const onProgress = (made: number) => void (made % PROGRESS_CALLS === 0 && console.error(`${made} calls`));
const { findings, exactNano, ...counts } = await compare({ calls, seed, kills, onProgress });
console.log(`${calls} calls, seed ${seed}, ${kills} kills`);
console.log({ ...counts, exactUsd: Number(exactNano) / 1e9 });
for (const finding of findings.slice(0, SHOWN_MAX)) console.log(finding);
console.log(findings.length === 0 ? 'Book and bill agree.' : `${findings.length} findings.`);
process.exitCode = findings.length === 0 ? 0 : 1;
