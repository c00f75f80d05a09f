import { expect, test } from 'vitest';
import { actorText } from './actor.tsx';

test('an actor is shown by name, by a fixed word, or else by ID', () => {
  expect(actorText('user_1', 'Ada <ada@example.com>')).toBe('Ada <ada@example.com>');
  expect(actorText('owner', null)).toBe('Command line');
  expect(actorText('user_gone', null)).toBe('user_gone');
  expect(actorText(null, null)).toBe('Unknown');
});
