import type { TollbookError } from '../domain/errors.ts';

/** Options by the field of the API that they set, where the names differ; the first one typed is meant. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  startDate: ['--from', '--since'],
  endDate: ['--to', '--until'],
  limit: ['--limit', '--top'],
  amount: ['--amount', '--credit', '--commitment'],
  keyId: ['--key'],
  uncertainRule: ['--uncertain'],
  thresholds: ['--threshold'],
  countsObserved: ['--observed'],
  expiresAt: ['--expires'],
};

/** Names of fields; settings of the environment are named otherwise. */
const FIELD = /^[a-z][A-Za-z]*$/;

/** Sentences that say what to do with fields. */
const ADVICE: readonly (readonly [string, string])[] = [
  ['Set action to "warn", or countsObserved to false.', 'Add --warn, or leave out --observed.'],
  ['or set countsObserved to false', 'or leave out --observed'],
];

const PERIOD_ADVICE = ' Exchange startDate and endDate, or correct one.';

/** Returns the sentence of an error, with the typed options in place of the fields of the API. */
export function nameOptions({ message, param }: TollbookError, args: readonly string[]): string {
  const starts = typedOption('startDate', args);
  let sentence = message;
  // Without an end, the period ends now.
  if (sentence.endsWith(PERIOD_ADVICE) && !OPTIONS['endDate']?.some((option) => isTyped(option, args)))
    sentence = `${starts} is in the future. Choose an earlier time.`;
  for (const [fields, options] of ADVICE) sentence = sentence.replace(fields, options);
  // The ends of a period have options of the same kind.
  const ends = starts === '--since' ? '--until' : typedOption('endDate', args);
  sentence = sentence.replaceAll(/\bstartDate\b/g, starts).replaceAll(/\bendDate\b/g, ends);
  if (param === undefined || !FIELD.test(param) || !sentence.startsWith(`${param} `)) return sentence;
  return typedOption(param, args) + sentence.slice(param.length);
}

function typedOption(field: string, args: readonly string[]): string {
  const options = OPTIONS[field] ?? [`--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`];
  return options.find((option) => isTyped(option, args)) ?? options[0] ?? field;
}

function isTyped(option: string, args: readonly string[]): boolean {
  return args.some((word) => word === option || word.startsWith(`${option}=`));
}
