import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findRepeatedMember } from './json-limits.ts';

test.each([
  ['{"name":"a","name":"b"}', 'name'],
  ['{ "a" : 1 , "b" : 2 , "a" : 3 }', 'a'],
  ['{"name":1,"n\\u0061me":2}', 'name'],
  ['{"a":[{"x":{}},{"y":[0,{"z":1,"z":2}]}]}', 'a.1.y.1.z'],
  ['[{"a":1},{"b":{"c":null,"c":null}}]', '1.b.c'],
  ['{"a":{"b":1},"c":{"b":1},"a":0}', 'a'],
  ['{"":1,"":2}', ''],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
])('the repeated member of %s is "%s"', (json, path) => {
  expect(findRepeatedMember(json)).toBe(path);
});

test('a text that only resembles another member is no repetition', () => {
  expect(findRepeatedMember('{"a":"\\"a\\":1,{","b":["a","a",{"a":"a"}],"c":"\\\\"}')).toBeNull();
  expect(findRepeatedMember('"a"')).toBeNull();
  fc.assert(fc.property(fc.json(), (json) => findRepeatedMember(json) === null));
});

test('a repeated member is found, wherever it is', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), fc.string(), fc.jsonValue(), (before, name, value) => {
      const member = `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
      const json = JSON.stringify([...before, 'here']).replace(/"here"\]$/, () => `{${member},${member}}]`);
      expect(findRepeatedMember(json)).toBe(`${before.length}.${name}`);
    }),
  );
});

test('a text of many megabytes is read, also as one string', () => {
  const long = 'a\\"'.repeat(3_000_000);
  expect(findRepeatedMember(`{"a":"${long}","a":1}`)).toBe('a');
});
