import { describe, expect, test } from 'vitest';
import { readConfig } from '../../config.ts';
import { callerAddress } from './caller-address.ts';

function trusting(ranges: string): (remote: string | undefined, forwardedFor?: string) => string | null {
  const { trustedProxies } = readConfig({ SVC_TRUSTED_PROXIES: ranges });
  return (remote, forwardedFor) => callerAddress(remote, forwardedFor, trustedProxies);
}

describe('without trusted proxies', () => {
  test('the address of a caller is that of its connection, whatever its headers say', () => {
    expect(trusting('')('192.0.2.7', '10.0.0.1')).toBe('192.0.2.7');
    expect(trusting('')('::ffff:192.0.2.7')).toBe('192.0.2.7');
    expect(trusting('')('2001:db8::1')).toBe('2001:db8::1');
    expect(trusting('')(undefined, '10.0.0.1')).toBeNull();
  });
});

describe('with trusted proxies', () => {
  const read = trusting('10.0.0.0/8, ::1');

  test.each([
    ['10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['::1', '198.51.100.1, 203.0.113.9, 10.2.2.2', '203.0.113.9'],
    ['10.0.0.1', '10.3.3.3, 10.2.2.2', '10.3.3.3'],
    ['10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
  ])('%s vouches for %s: it is %s', (remote, forwardedFor, address) =>
    expect(read(remote, forwardedFor)).toBe(address),
  );

  test('a name that no trusted proxy vouches for is ignored', () => {
    expect(read('203.0.113.9', '10.0.0.1')).toBe('203.0.113.9');
    expect(read('10.0.0.1', '10.9.9.9, 203.0.113.9')).toBe('203.0.113.9');
  });

  test('a proxy whose header is unreadable leaves the caller unknown', () => {
    for (const forwardedFor of ['unknown', '203.0.113.9, _hidden', ','])
      expect(read('10.0.0.1', forwardedFor)).toBeNull();
  });

  test('a proxy without the header is the caller itself', () => expect(read('10.0.0.1')).toBe('10.0.0.1'));

  test('a chain that is too long is not followed to its end', () =>
    expect(read('10.0.0.1', `203.0.113.9${', 10.0.0.2'.repeat(5_000)}`)).toBe('10.0.0.2'));
});

test('an invalid list of addresses is refused with the name of the variable', () =>
  expect(() => readConfig({ SVC_TRUSTED_PROXIES: '10.0.0.0/8, lb.internal' })).toThrow(
    /SVC_TRUSTED_PROXIES has "lb.internal"/,
  ));
