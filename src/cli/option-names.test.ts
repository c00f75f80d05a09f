import { expect, test } from 'vitest';
import { TollbookError } from '../domain/errors.ts';
import { nameOptions } from './option-names.ts';

const BACKWARDS = 'The period begins after its end. Exchange startDate and endDate, or correct one.';

test.each([
  ['spend --top 0', 'limit', 'limit must be at least 1.', '--top must be at least 1.'],
  ['calls --limit=0', 'limit', 'limit must be at least 1.', '--limit must be at least 1.'],
  ['limits set', 'window', 'window is missing.', '--window is missing.'],
  ['limits set', 'uncertainRule', 'uncertainRule must be "keep".', '--uncertain must be "keep".'],
  ['bill-lines add --credit 0', 'amount', 'amount must be more.', '--credit must be more.'],
  ['keys list', 'SVC_PORT', 'SVC_PORT is "lots".', 'SVC_PORT is "lots".'],
  ['keys create', 'name', 'A name is missing.', 'A name is missing.'],
  ['spend --since tomorrow', 'startDate', BACKWARDS, '--since is in the future. Choose an earlier time.'],
  [
    'calls --from 2d --to 3d',
    'startDate',
    BACKWARDS,
    BACKWARDS.replace('startDate', '--from').replace('endDate', '--to'),
  ],
  [
    'spend --since 2d --until 3d',
    'startDate',
    BACKWARDS,
    BACKWARDS.replace('startDate', '--since').replace('endDate', '--until'),
  ],
])('an error of %s names the option as it was typed, not the field %s', (line, param, message, expected) => {
  expect(nameOptions(new TollbookError('invalid', message, param), line.split(' '))).toBe(expected);
});
