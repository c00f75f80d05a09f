import { DatabaseError } from 'pg';
import { expect, test } from 'vitest';
import { breaksConnection, translateError } from './postgres-errors.ts';

function serverError(code: string): DatabaseError {
  return Object.assign(new DatabaseError('in the words of the server', 1, 'error'), { code });
}

test.each([
  ['a full disk', '53100', 'The disk of PostgreSQL is full. Try again.'],
  ['too many connections', '53300', "PostgreSQL can't be reached (in the words of the server). Try again."],
  ['a password that was changed', '28P01', "PostgreSQL can't be reached (in the words of the server). Try again."],
  ['a database that was dropped', '3D000', "PostgreSQL can't be reached (in the words of the server). Try again."],
  ['a standby', '25006', 'PostgreSQL takes no changes: it is a standby or set to read only. Try again.'],
])('%s during operation makes a request wait, and is named', (_, code, message) => {
  expect(translateError(serverError(code))).toMatchObject({ type: 'unavailable', message, retryAfter: 1 });
});

test.each(['25P03', '25P04', '57P01', '57P05', '08006', '25006'])(
  'a connection is not used again after the server ended it with %s',
  (code) => {
    expect(breaksConnection(serverError(code))).toBe(true);
    expect(translateError(serverError(code))).toMatchObject({ type: 'unavailable' });
  },
);

test('an error of a wrong statement stays as it is', () => {
  const error = serverError('42601');
  expect(translateError(error)).toBe(error);
  expect(breaksConnection(error)).toBe(false);
});
