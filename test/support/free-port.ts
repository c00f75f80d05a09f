import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Systems give out ports above it, for connections and for servers on port 0: one could be taken before its use. */
const PORT_MAX = 32_000;
/** Chromium refuses some ports below it. */
const PORT_MIN = 11_000;
const TRIES_MAX = 50;

/** Finds a port of this machine that a server can use, and use again after a restart. */
export async function freePort(): Promise<number> {
  for (let tried = 1; ; tried += 1) {
    const port = randomInt(PORT_MIN, PORT_MAX);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (tried >= TRIES_MAX) throw error;
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
