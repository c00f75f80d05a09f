import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

// A pooler in transaction mode, as PgBouncer has it: all clients share one session of the server, which each has for the
// length of a transaction.

const PROTOCOL = 196_608;
const LENGTH_BYTES = 4;
const READY = 'Z';
const IDLE = 'I';

export interface TransactionPooler {
  readonly url: string;
  close(): void;
}

/** Starts a pooler before the server of an address, which must ask for no password. */
export async function startTransactionPooler(url: string): Promise<TransactionPooler> {
  const { hostname, port, username, pathname } = new URL(url);
  const session = connect(Number(port), hostname);
  session.write(startMessage(`user\0${username}\0database\0${pathname.slice(1)}\0\0`));
  const waiting: (() => void)[] = [];
  let current: Socket | null = null;
  let isReady = false;
  const next = (): void => {
    isReady = true;
    current = null;
    waiting.shift()?.();
  };
  eachMessage(session, (type, message) => {
    if (isReady || type === READY) current?.write(message);
    if (type === READY && message.at(-1) === IDLE.charCodeAt(0)) next();
  });
  const send = (client: Socket, message: Buffer): void => {
    if (current === client) return void session.write(message);
    if (current !== null || !isReady) return void waiting.push(() => send(client, message));
    current = client;
    session.write(message);
  };
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on('error', () => client.destroy());
    client.once('data', () => {
      client.write(Buffer.concat([typed('R', Buffer.alloc(LENGTH_BYTES)), typed(READY, Buffer.from(IDLE))]));
      eachMessage(client, (type, message) => (type === 'X' ? client.end() : send(client, message)));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = { hostname: '127.0.0.1', port: String((server.address() as AddressInfo).port) };
  return {
    url: Object.assign(new URL(url), own).href,
    close() {
      server.close();
      for (const socket of [session, ...clients]) socket.destroy();
    },
  };
}

function eachMessage(socket: Socket, take: (type: string, message: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length > LENGTH_BYTES && rest.length > rest.readInt32BE(1)) {
      const length = 1 + rest.readInt32BE(1);
      take(String.fromCharCode(rest[0] ?? 0), rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  });
}

function startMessage(settings: string): Buffer {
  const head = Buffer.alloc(2 * LENGTH_BYTES);
  head.writeInt32BE(head.length + Buffer.byteLength(settings));
  head.writeInt32BE(PROTOCOL, LENGTH_BYTES);
  return Buffer.concat([head, Buffer.from(settings)]);
}

function typed(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(1 + LENGTH_BYTES);
  head.write(type);
  head.writeInt32BE(LENGTH_BYTES + body.length, 1);
  return Buffer.concat([head, body]);
}
