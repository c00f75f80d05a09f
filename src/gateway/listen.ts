import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { type Config, LIMITS } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';

/** Time to notice another service on the port. */
const PROBE_MS_MAX = 1_000;

type ListenAddress = Pick<Config, 'host' | 'port'>;

/**
 * Makes a server listen. Throws `unavailable` if it can't.
 * @param reusePort the system shares the connections of the port out among all servers that say so
 */
export async function listenOnPort(server: Server, address: ListenAddress, reusePort: boolean): Promise<AddressInfo> {
  const { host, port } = address;
  server.listen({ port, host, reusePort, backlog: LIMITS.connectionsWaitingMax });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen(address, (error as NodeJS.ErrnoException).code);
  }
  return server.address() as AddressInfo;
}

/**
 * Returns the port that workers share: the configured one, or a free one for 0. Throws `unavailable` if another service listens
 * there: workers would share it with that one unnoticed.
 */
export async function requireFreePort(address: ListenAddress): Promise<number> {
  if (address.port === 0) return await findFreePort(address);
  // Not by listening: clients would be connected for a moment.
  const socket = connect(address.port, address.host);
  const isTaken = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.setTimeout(PROBE_MS_MAX, () => resolve(false));
  });
  socket.destroy();
  if (isTaken) throw cannotListen(address, 'EADDRINUSE');
  return address.port;
}

async function findFreePort(address: ListenAddress): Promise<number> {
  const server = createServer();
  const { port } = await listenOnPort(server, address, false);
  server.close();
  await once(server, 'close');
  return port;
}

function cannotListen({ host, port }: ListenAddress, code: string | undefined): TollbookError {
  const sentence = `Port ${port} on ${host} can't be used (${code}). Set SVC_PORT or SVC_HOST to another.`;
  return new TollbookError('unavailable', sentence);
}
