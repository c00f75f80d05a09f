import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { connectStdio, ERAS } from '../../test/tool-host.ts';

test.each(ERAS)('a call that a host of the %s era cancels stops', async (era) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { host, told } = await connectStdio({ SVC_API_URL: url, SVC_API_KEY: 'svc_sk_test' }, era);
  const cancel = new AbortController();
  const asked = once(server, 'request');
  const call = host.callTool({ name: 'svc_list_webhooks', arguments: {} }, { signal: cancel.signal });
  const outcome = call.then(
    () => 'answered',
    () => 'cancelled',
  );
  const [request] = (await asked) as [IncomingMessage];
  const closed = once(request.socket, 'close');
  cancel.abort();
  // The service never answers: only a cancelled call lets go of it.
  await closed;
  expect(await outcome).toBe('cancelled');
  await host.close();
  expect(told()).toBe('');
  server.close();
});
