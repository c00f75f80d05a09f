import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isInRange, parseAddress, parseAddressRange } from './address-range.ts';

function contains(range: string, address: string): boolean {
  const parsed = parseAddressRange(range);
  const bits = parseAddress(address);
  if (!parsed || !bits) throw new Error(`${range} or ${address} can't be read`);
  return isInRange(bits, parsed);
}

describe('an address range', () => {
  test.each([
    ['10.0.0.0/8', '10.255.0.1'],
    ['10.1.2.3/8', '10.255.0.1'],
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7', '::ffff:192.0.2.7'],
    ['192.0.2.6/31', '192.0.2.7'],
    ['0.0.0.0/0', '203.0.113.9'],
    ['::ffff:0:0/96', '203.0.113.9'],
    ['2001:db8::/32', '2001:DB8:ffff::1'],
    ['fe80::/10', 'fe80::1%eth0'],
    ['::/0', '2001:db8::1'],
    ['::1', '0:0:0:0:0:0:0:1'],
  ])('%s includes %s', (range, address) => expect(contains(range, address)).toBe(true));

  test.each([
    ['10.0.0.0/8', '11.0.0.0'],
    ['192.0.2.6/31', '192.0.2.8'],
    ['192.0.2.7', '192.0.2.71'],
    ['::/0', '203.0.113.9'],
    ['0.0.0.0/0', '2001:db8::1'],
    ['2001:db8::/33', '2001:db8:8000::1'],
  ])('%s excludes %s', (range, address) => expect(contains(range, address)).toBe(false));
});

test.each([
  [
    '',
    'localhost',
    '10.0.0',
    '10.0.0.0.0',
    '256.0.0.1',
    '010.0.0.1',
    '1.2.3.4/33',
    '1.2.3.4/',
    '1.2.3.4/08',
    '1.2.3.4/-1',
  ],
  [
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '::12345',
    '::/129',
    'fe80::1%eth0',
    '1.2.3.4::',
    '::1/8/8',
    '*',
  ],
])('neither of %s, … is a range', (...texts) => {
  for (const text of texts) expect(parseAddressRange(text), text).toBeNull();
});

test('accepts the same addresses as the runtime', () => {
  const text = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.string({ unit: fc.constantFrom(':', '.', '0', '1', 'f', '::', '255'), maxLength: 18 }),
  );
  fc.assert(
    fc.property(text, (address) => {
      expect(parseAddress(address) !== null).toBe(isIP(address) !== 0);
    }),
    { numRuns: 3_000 },
  );
});

test('includes the same addresses as the runtime', () => {
  const near = fc.integer({ min: 0, max: 3 });
  const four = fc.tuple(near, near, near, near).map((parts) => parts.join('.'));
  const six = fc.array(near, { minLength: 8, maxLength: 8 }).map((parts) => parts.join(':'));
  const agree = (family: 'ipv4' | 'ipv6') => (range: string, bits: number, address: string) => {
    const list = new BlockList();
    list.addSubnet(range, bits, family);
    expect(contains(`${range}/${bits}`, address)).toBe(list.check(address, family));
  };
  fc.assert(fc.property(four, fc.integer({ min: 0, max: 32 }), four, agree('ipv4')), { numRuns: 500 });
  fc.assert(fc.property(six, fc.integer({ min: 0, max: 128 }), six, agree('ipv6')), { numRuns: 500 });
});
