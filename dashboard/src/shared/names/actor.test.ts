import { expect, test } from 'vitest';
import { actorText } from './actor.tsx';

test('who did something has a name, a word where nobody has one, and else the id', () => {
  expect(actorText('user_1', 'Ada <ada@example.com>')).toBe('Ada <ada@example.com>');
  expect(actorText('owner', null)).toBe('the command line');
  expect(actorText('user_gone', null)).toBe('user_gone');
  expect(actorText(null, null)).toBe('not known');
});
