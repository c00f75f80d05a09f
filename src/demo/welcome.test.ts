import { expect, test } from 'vitest';
import { demoWelcome } from './welcome.ts';

const said = (host: string) =>
  demoWelcome({ baseUrl: 'http://localhost:4700', host, dataDir: '/tmp/demo' }, 'svc_sk_token', {
    secret: 'svc_sk_key',
    firstCall: [],
  });

test('a demo that is reachable from the network says that it signs everyone in', () => {
  expect(said('0.0.0.0')).toContain('Others can reach it, because SVC_HOST is 0.0.0.0');
  for (const host of ['127.0.0.1', '::1', 'localhost']) expect(said(host)).not.toContain('Others');
});
