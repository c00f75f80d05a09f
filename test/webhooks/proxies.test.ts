import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('send-once.ts', import.meta.url));

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function listen(answer: string): Promise<string> {
  const server = createServer((_req, res) => res.end(answer)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('webhooks never go through a proxy of the environment', async () => {
  const [receiver, proxy] = await Promise.all([listen('receiver'), listen('proxy')]);
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  const env = { ...Object.fromEntries(names.map((name) => [name, proxy])), NODE_USE_ENV_PROXY: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, receiver], { env });
  expect(JSON.parse(stdout)).toEqual({ sent: 'receiver', asked: 'proxy' });
});
