import { describe, expect, test } from 'vitest';
import { parseWebhookAllow, webhookGuard } from './webhook-address.ts';

function guardOf(allow: string) {
  return webhookGuard(parseWebhookAllow('SVC_WEBHOOK_ALLOW', allow));
}

function refusal(allow: string, url: string, ip?: string): string | null {
  const guard = guardOf(allow);
  return guard.refuseUrl(url) ?? (ip === undefined ? null : guard.refuseAddress(new URL(url), ip));
}

describe('allowed addresses', () => {
  test.each([
    ['', 'https://example.com/hook', '93.184.215.14'],
    ['', 'https://EXAMPLE.com.:8443/hook?key=a%20b&x=ü', '2606:2800:220:1::248'],
    ['', 'https://1.1.1.1/', '1.1.1.1'],
    ['', 'https://bücher.example/', '1.1.1.1'],
    ['http', 'http://example.com/hook', '93.184.215.14'],
    ['http', 'http://1.1.1.1/', '1.1.1.1'],
    ['10.0.0.0/8', 'http://10.1.2.3:8080/', '10.1.2.3'],
    ['10.0.0.0/8', 'https://[::ffff:10.1.2.3]/', '::ffff:10.1.2.3'],
    ['10.0.0.0/8', 'http://hooks.corp.internal/', '10.1.2.3'],
    ['127.0.0.1', 'http://localhost:9000/', '127.0.0.1'],
    ['fd00::/8 10.0.0.0/8', 'http://[fd00::1]/', 'fd00::1'],
    ['Hooks.Corp.Internal.', 'http://hooks.corp.internal/', '10.1.2.3'],
    ['hooks.corp.internal', 'https://HOOKS.corp.internal.:9443/', '::1'],
    ['receiver,', 'http://receiver:8080/', '172.18.0.3'],
  ])('with %j: %s at %s', (allow, url, ip) => expect(refusal(allow, url, ip)).toBe(null));
});

describe('refused addresses', () => {
  test.each([
    ['', 'https://example.com/', '10.0.0.1', 'example.com leads to a private address'],
    ['', 'https://10.0.0.1/', undefined, '10.0.0.1 is a private address'],
    ['', 'http://example.com/', undefined, 'must begin with https://'],
    ['', 'https://hooks.corp.internal/', undefined, 'a name of a private network'],
    ['http', 'http://10.0.0.1/', undefined, 'private address'],
    ['http', 'http://localhost/', undefined, 'private network'],
    ['10.0.0.0/8', 'https://192.168.0.1/', undefined, 'private address'],
    ['10.0.0.0/8', 'https://[64:ff9b::10.0.0.1]/', undefined, 'private address'],
    ['10.0.0.0/8', 'http://example.com/', '1.1.1.1', 'must begin with https://'],
    ['10.0.0.0/8', 'http://localhost/', '127.0.0.1', 'leads to a private address'],
    ['corp.internal', 'https://hooks.corp.internal/', undefined, 'private network'],
    ['hooks.corp.internal', 'https://10.0.0.1/', undefined, 'private address'],
    ['0.0.0.0/0 ::/0 http', 'https://10.0.0.1:22/', undefined, 'Port 22'],
    ['0.0.0.0/0 ::/0 http', 'https://user@10.0.0.1/', undefined, 'user name'],
    ['0.0.0.0/0 ::/0 http', 'https://10.0.0.1/#part', undefined, '#'],
    ['', `https://example.com/${'x'.repeat(2_048)}`, undefined, 'longer than 2048 characters'],
    ['0.0.0.0/0 ::/0 http', 'ftp://10.0.0.1/', undefined, 'https://'],
    ['0.0.0.0/0 ::/0 http', 'https://10.0.0.1/a\r\nb', undefined, 'line breaks'],
    ['0.0.0.0/0 ::/0 http', 'https://10.0.0.1', 'not an address', 'private address'],
  ])('with %j: %s at %s', (allow, url, ip, sentence) => expect(refusal(allow, url, ip)).toContain(sentence));
});

test('a refusal names only the host and port of the URL', () => {
  const url = 'https://user:word@10.0.0.1:22/services/T0/secret?sig=secret#secret';
  for (const text of [url, url.replace('user:word@', ''), url.replace(/#.*/, ''), `${url}\n`, 'https:/secret\\'])
    expect(refusal('', text)).not.toMatch(/secret|word@/);
});

test('the setting is read with commas and spaces, and an invalid range is named', () => {
  const allow = parseWebhookAllow('SVC_WEBHOOK_ALLOW', ' 10.0.0.0/8,127.0.0.1  HTTP,\nHooks.Corp.internal ');
  expect(allow).toMatchObject({ hosts: ['hooks.corp.internal'], plainHttp: true });
  expect(allow.ranges).toHaveLength(2);
  expect(parseWebhookAllow('SVC_WEBHOOK_ALLOW', '')).toEqual({ hosts: [], ranges: [], plainHttp: false });
  for (const item of ['10.0.0.0/33', '10.0.0', '*.example.com', 'https://a.example', '[::1]', 'fe80::1%eth0', 'a..b'])
    expect(() => parseWebhookAllow('SVC_WEBHOOK_ALLOW', `http ${item}`)).toThrow(`SVC_WEBHOOK_ALLOW has "${item}"`);
});
