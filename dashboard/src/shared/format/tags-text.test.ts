import { expect, test } from 'vitest';
import { readTags, splitList, writeTags } from './tags-text.ts';

test('tags are read as they are written, ignoring spaces and line ends', () => {
  const tags = { team: 'search', env: 'a=b' };
  expect(readTags(writeTags(tags))).toEqual(tags);
  expect(readTags(' team = search ,\n env=prod,, ')).toEqual({ team: 'search', env: 'prod' });
});

test('a tag without a value is kept, so that the service can report it', () => {
  expect(readTags('team')).toEqual({ team: '' });
});

test('a list has no empty parts', () => {
  expect(splitList(' a, b\n\nc,')).toEqual(['a', 'b', 'c']);
});
