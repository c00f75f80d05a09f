import { expect, test } from 'vitest';
import { type MemberAsks, deriveForms } from './form.ts';

const ASKS: MemberAsks = new Map([
  ['.kind', 'same'],
  ['.name', 'text'],
  ['.inner.count', 'count'],
  ['.inner.list.on', 'truth'],
]);
const TEXT = '{"kind":"a","name":"n","other":[1,{"x":null}],"inner":{"count":12,"list":[{"on":true}]}}';

function read(text: string, example = TEXT): (string | undefined)[] | null {
  const [form] = deriveForms([example], ASKS) ?? [];
  const match = form?.pattern.exec(text);
  return match ? ['.name', '.inner.count', '.inner.list.on'].map((path) => match[form?.groups.get(path) ?? -1]) : null;
}

test('texts with the same members in the same order share a form', () => {
  expect(read(TEXT)).toEqual(['n', '12', 'true']);
  const other = '{"kind":"a","name":null,"other":[false,{"x":"]}"}],"inner":{"count":0,"list":[{"on":false}]}}';
  expect(read(other)).toEqual([undefined, '0', undefined]);
});

test.each([
  ['a value that must be the same', TEXT.replace('"a"', '"b"')],
  ['an escape in a text that is asked for', TEXT.replace('"n"', String.raw`"\u006e"`)],
  ['an escape in any other text', TEXT.replace('null', String.raw`"\""`)],
  ['a text beyond ASCII', TEXT.replace('"n"', '"ø"')],
  ['a count that is none', TEXT.replace('12', '-12')],
  ['a count beyond exact numbers', TEXT.replace('12', '1234567890123456')],
  ['a truth that is none', TEXT.replace('true', '"true"')],
  ['a member more', TEXT.replace('"name"', '"more":1,"name"')],
  ['an element more', TEXT.replace('[1,', '[1,2,')],
  ['members in another order', TEXT.replace('"kind":"a","name":"n"', '"name":"n","kind":"a"')],
  ['an end that is torn', TEXT.slice(0, -1)],
  ['something behind its end', `${TEXT}}`],
])('a text has another form with %s', (_, text) => {
  expect(text).not.toBe(TEXT);
  expect(read(text)).toBeNull();
});

test('a form can describe only the beginning of texts, and what follows a gap', () => {
  const [begin, end] = deriveForms(['{"name":"n","inner":{"said":[', '],"count":1}}'], ASKS) ?? [];
  expect(begin?.pattern.exec('{"name":"m","inner":{"said":["and so on')?.[1]).toBe('m');
  expect(end?.pattern.exec('],"count":7}}')?.[1]).toBe('7');
  expect(end?.pattern.test('],"count":7}} ')).toBe(false);
});

test('there is no form if a requested member is repeated', () => {
  expect(deriveForms(['{"name":"n","name":"m"}'], ASKS)).toBeNull();
});
