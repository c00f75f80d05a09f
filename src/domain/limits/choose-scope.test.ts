import { expect, test } from 'vitest';
import { chooseScope } from './choose-scope.ts';

test('one word names a scope, and none the whole workspace', () => {
  expect([
    chooseScope({}),
    chooseScope({ key: 'key_1', tag: undefined }),
    chooseScope({ provider: 'openai' }),
    chooseScope({ model: 'gpt-*' }),
    chooseScope({ tag: 'team=a=b' }),
    chooseScope({ eachTag: 'user' }),
  ]).toEqual([
    { kind: 'workspace' },
    { kind: 'key', keyId: 'key_1' },
    { kind: 'provider', provider: 'openai' },
    { kind: 'model', pattern: 'gpt-*' },
    { kind: 'tag', key: 'team', value: 'a=b' },
    { kind: 'each_tag', key: 'user' },
  ]);
});

test('two words are refused, and so is a tag without a value', () => {
  expect(() => chooseScope({ key: 'key_1', eachTag: 'user' })).toThrow(/counts one thing/);
  for (const tag of ['team', '=search']) expect(() => chooseScope({ tag })).toThrow(/is no tag; write team=search/);
});
