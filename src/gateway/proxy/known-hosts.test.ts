import { expect, test } from 'vitest';
import { KnownHosts } from './known-hosts.ts';

const LOCAL = { listensAt: '127.0.0.1', baseUrl: 'https://Tollbook.Example:8443', allowed: ['tollbook.lan'] };

const answers = (options: Partial<typeof LOCAL>, host: string | undefined): boolean =>
  new KnownHosts({ ...LOCAL, ...options }).refusal(host) === null;

test.each([
  'localhost:4700',
  'LOCALHOST',
  'localhost.:4700',
  'a.localhost',
  '127.0.0.1:4700',
  '[::1]:4700',
  '192.168.1.5',
  'tollbook.example',
  'tollbook.example:9999',
  'TOLLBOOK.EXAMPLE.',
  'tollbook.lan:4700',
  undefined,
])('on the loopback address the host %s is allowed', (host) => {
  expect(answers({}, host)).toBe(true);
});

test.each([
  'evil.test',
  'evil.test:4700',
  'machine',
  'localhost.evil.test',
  '127.0.0.1.evil.test',
  'evil.test/localhost',
  'evil.test\\localhost',
  'localhost@evil.test',
  'evil.test#localhost',
  'tollbook.example.evil.test',
  'a b',
  '',
])('a page whose host name %j resolves to this machine reads nothing', (host) => {
  expect(answers({}, host)).toBe(false);
});

test('the refusal names the requested host and the setting', () => {
  const refusal = new KnownHosts(LOCAL).refusal('evil.test:4700');
  expect(refusal?.status).toBe(403);
  const { error, type } = JSON.parse(refusal?.body ?? '') as { error: string; type: string };
  expect(type).toBe('cross_site');
  expect(error).toMatch(/"evil.test:4700".*https:\/\/Tollbook.Example:8443.*SVC_ALLOWED_HOSTS/);
});

test.each(['127.0.0.1', '127.9.9.9', '::1', '[::1]', 'localhost'])('%s is a loopback address', (listensAt) => {
  expect(answers({ listensAt, allowed: [] }, 'evil.test')).toBe(false);
});

test.each(['0.0.0.0', '::', '192.168.1.5', 'tollbook.lan'])(
  'behind %s host names are checked only if the operator lists them',
  (listensAt) => {
    expect(answers({ listensAt, allowed: [] }, 'anything.example')).toBe(true);
    expect(answers({ listensAt }, 'anything.example')).toBe(false);
    expect(answers({ listensAt }, 'tollbook.lan')).toBe(true);
  },
);
