import type { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { ToolSettings } from '../config.ts';
import { hideSecrets } from '../lib/hide-secrets.ts';
import { systemClock } from '../lib/clock.ts';
import { stdioAdvice } from './advice.ts';
import { ApiClient } from './client.ts';
import { buildServer } from './server.ts';
import { ToolSession } from './session.ts';
import type { Machine } from './tool.ts';
import { thisMachine } from './this-machine.ts';
import { tools } from './tools.ts';

/** One message of a host; the tools take small ones. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

export interface StdioOptions {
  readonly settings: ToolSettings;
  readonly env: Machine['env'];
  readonly input: Readable;
  readonly output: Writable;
  /** For people: anything but the protocol. */
  readonly tell: (text: string) => void;
}

/** Serves one host over these streams until it closes its side. */
export async function serveTools({ settings, env, input, output, tell }: StdioOptions): Promise<void> {
  const onTrouble = (error: unknown): void => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    tell(`tollbook tools: ${hideSecrets(text)}\n`);
  };
  const session = new ToolSession({
    client: new ApiClient({ url: settings.apiUrl, apiKey: settings.apiKey, send: fetch, advice: stdioAdvice }),
    machine: thisMachine(env, settings),
    clock: systemClock,
    onTrouble,
  });
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MESSAGE_BYTES_MAX });
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  input.once('end', resolve).once('close', resolve);
  const handle = serveStdio(() => buildServer(tools, session), { transport, onerror: onTrouble });
  await closed;
  await handle.close();
}
