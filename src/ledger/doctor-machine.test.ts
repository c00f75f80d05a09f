import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { checkAddress, checkFreeSpace, checkVersion } from './doctor-machine.ts';

let server: Server;
afterEach(() => server?.close());

async function checkPortThatAnswers(body: string): Promise<unknown> {
  server = createServer((_req, res) => res.end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return checkAddress({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
}

test('the doctor knows the service on its port from another program', async () => {
  expect(await checkPortThatAnswers('ok\n')).toMatchObject({ state: 'ok' });
  server.close();
  expect(await checkPortThatAnswers('<html>')).toMatchObject({
    state: 'warning',
    message: expect.stringContaining('SVC_PORT') as string,
  });
});

test('a port where nothing listens is no problem', async () => {
  await checkPortThatAnswers('');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  expect(await checkAddress({ host: '127.0.0.1', port })).toMatchObject({ name: 'address', state: 'skipped' });
});

test('the doctor names versions and free space', async () => {
  expect(checkVersion().message).toContain(`on Node ${process.versions.node}`);
  expect((await checkFreeSpace(tmpdir())).message).toMatch(/^\d+\.\d GB are free for \//);
});
