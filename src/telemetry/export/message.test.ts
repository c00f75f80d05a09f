import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REQUEST_FORMS, toKeyValues, toProtobuf } from './message.ts';

const fixture = (name: string): Buffer => readFileSync(new URL(`fixtures/${name}`, import.meta.url));

// The library of Python wrote the protobuf form of these requests.
test.each(['traces', 'metrics'] as const)(
  'a request of %s has the bytes that the official library writes',
  (signal) => {
    const message = JSON.parse(fixture(`${signal}.json`).toString()) as object;
    expect(Buffer.from(toProtobuf(REQUEST_FORMS[signal], message))).toEqual(fixture(`${signal}.pb`));
  },
);

test('attributes keep their types, and those that are unknown are left out', () => {
  expect(toKeyValues({ text: 'x', whole: 2n ** 60n, part: 2, flag: false, none: null })).toEqual([
    { key: 'text', value: { stringValue: 'x' } },
    { key: 'whole', value: { intValue: '1152921504606846976' } },
    { key: 'part', value: { doubleValue: 2 } },
    { key: 'flag', value: { boolValue: false } },
  ]);
});
