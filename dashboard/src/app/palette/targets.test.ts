import { expect, test } from 'vitest';
import { findCallPath, findTargets, type PaletteTarget, type TargetGroup } from './targets.ts';

function target(group: TargetGroup, name: string, words = ''): PaletteTarget {
  return { group, id: name, name, words, icon: 'keys', run: () => undefined };
}

const TARGETS = [
  target('Pages', 'Overview'),
  target('Pages', 'Provider reports', 'reconciliation bill'),
  target('Actions', 'Create key'),
  target('Keys', 'Search (production)'),
  target('Keys', 'Research'),
  target('Models', 'claude-opus-4-8'),
];

const names = (text: string): string[] =>
  findTargets(TARGETS, text).flatMap(({ group, targets }) => targets.map(({ name }) => `${group}: ${name}`));

test('pages and actions are offered before anything is typed', () => {
  expect(names(' ')).toEqual(['Pages: Overview', 'Pages: Provider reports', 'Actions: Create key']);
});

test('a match at the start of a name comes before one at a word, inside, or in other words', () => {
  expect(names('sear')).toEqual(['Keys: Search (production)', 'Keys: Research']);
  expect(names('PROD')).toEqual(['Keys: Search (production)']);
  expect(names('re')).toEqual(['Keys: Research', 'Pages: Provider reports', 'Actions: Create key']);
  expect(names('opus claude')).toEqual(['Models: claude-opus-4-8']);
  expect(names('bill')).toEqual(['Pages: Provider reports']);
  expect(names('nothing like it')).toEqual([]);
});

test('a long group is cut', () => {
  const many = Array.from({ length: 99 }, (_, index) => target('Sessions', `session ${index}`));
  expect(findTargets(many, 'session')[0]?.targets).toHaveLength(12);
});

test('only the ID of a call leads to its page', () => {
  expect(findCallPath(' call_01jd8xabc ')).toBe('/calls/call_01jd8xabc');
  expect(['', 'nowhere', '//evil.example', 'call_../x'].map(findCallPath)).toEqual([null, null, null, null]);
});
