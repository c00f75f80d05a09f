import { expect, test } from 'vitest';
import { customProvider } from './providers.ts';

const address = (url: string): string => customProvider({ id: 'own', name: 'Own', url, priceProvider: null }).url;

test.each([
  'http://user:word@host/v1',
  'http://user@host/v1',
  'ftp://host/v1',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:,x',
  'unix:///run/x.sock',
  '//host/v1',
  'http:host/v1',
  'http:///host',
  'http://host:99999/v1',
  'http://host/v1?',
  'http://host/v1?key=x',
  'http://host/v1#',
  'http://host\\elsewhere/v1',
  ' http://host/v1',
  'http://host/v1\r\nx: y',
  'http://[fe80::1%25eth0]:8000/v1',
  'http://[fe80::1%eth0]:8000/v1',
])('%j, which programs read differently or not at all, is refused as a provider URL', (url) => {
  expect(() => address(url)).toThrow(/provider URL/);
});

test.each(['http://localhost:11434/v1', 'https://host./v1', 'http://[::1]:8000/v1', 'HTTPS://Host/V1'])(
  '%s is accepted',
  (url) => expect(address(`${url}/`)).toBe(url),
);
