// `npm run request-forms`: writes documented request fields in every form and holds what is set aside against the bill.
import { parseArgs } from 'node:util';
import { describeBatch, playBatches } from './play-batches.ts';
import { describeHole, playForms } from './play-forms.ts';

const { values } = parseArgs({
  options: {
    forms: { type: 'string', default: '100000' },
    batches: { type: 'string', default: '10000' },
    seed: { type: 'string' },
  },
});
const forms = Number(values.forms);
const batches = Number(values.batches);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const isCount = (count: number): boolean => Number.isSafeInteger(count) && count >= 0;
const shown = (count: number): string => count.toLocaleString('en-US');
if (![forms, batches, seed].every(isCount)) {
  process.stderr.write('npm run request-forms -- [--forms N] [--batches N] [--seed S]: all are whole numbers.\n');
  process.exitCode = 2;
} else {
  process.stdout.write(`${shown(forms)} forms and ${shown(batches)} batches from seed ${seed} on.\n`);
  const played = playForms(seed, forms);
  for (const hole of played.holes) process.stdout.write(`${describeHole(hole)}\n`);
  process.stdout.write(
    `${shown(played.forms)} forms, of which ${shown(played.held)} were held and the rest refused: ${played.holes.length} holes.\n`,
  );
  const batched = playBatches(seed, batches);
  for (const hole of batched.holes) process.stdout.write(`${describeBatch(hole)}\n`);
  process.stdout.write(
    `${shown(batches)} batches of ${shown(batched.lines)} requests: ${batched.holes.length} holes.\n`,
  );
  process.exitCode = played.holes.length + batched.holes.length > 0 ? 1 : 0;
}
