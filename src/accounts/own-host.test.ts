import { expect, test } from 'vitest';
import { isOwnHost } from './accounts.ts';

test('a name that others can point at this machine is not our own', () => {
  const own = (host: string | null): boolean => isOwnHost(host, 'https://tollbook.example:8443');
  for (const host of [
    null,
    'localhost:4700',
    'a.localhost:4700',
    '127.0.0.1:4700',
    '[::1]:4700',
    'machine',
    'tollbook.example',
  ])
    expect([host, own(host)]).toEqual([host, true]);
  for (const host of ['evil.example:4700', 'evil.example', '127.0.0.1.evil.example', 'a b', ''])
    expect([host, own(host)]).toEqual([host, false]);
});
