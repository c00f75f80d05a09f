// `npm run request-forms`: writes documented request fields in every form and holds what is set aside against the bill.
import { parseArgs } from 'node:util';
import { describeHole, playForms } from './play-forms.ts';

const { values } = parseArgs({
  options: { forms: { type: 'string', default: '100000' }, seed: { type: 'string' } },
});
const forms = Number(values.forms);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!Number.isSafeInteger(forms) || forms < 1 || !Number.isSafeInteger(seed) || seed < 0) {
  process.stderr.write('npm run request-forms -- [--forms N] [--seed S]: both are whole numbers.\n');
  process.exitCode = 2;
} else {
  process.stdout.write(`${forms.toLocaleString('en-US')} forms from seed ${seed} on.\n`);
  const played = playForms(seed, forms);
  for (const hole of played.holes) process.stdout.write(`${describeHole(hole)}\n`);
  const [all, held] = [played.forms, played.held].map((count) => count.toLocaleString('en-US'));
  process.stdout.write(
    `${all} forms, of which ${held} were held and the rest refused: ${played.holes.length} holes.\n`,
  );
  process.exitCode = played.holes.length > 0 ? 1 : 0;
}
