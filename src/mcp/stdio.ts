import type { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { ToolSettings } from '../config.ts';
import { hideSecrets } from '../lib/crypto/hide-secrets.ts';
import type { Clock } from '../lib/clock.ts';
import { stdioAdvice } from './advice.ts';
import { autoSync } from './auto-sync.ts';
import { ApiClient } from './client.ts';
import { buildServer } from './server.ts';
import { ToolSession } from './session.ts';
import type { ToolMachine } from './tool.ts';
import { syncNow } from './sync-now.ts';
import { thisMachine } from './this-machine.ts';
import { tools } from './tools.ts';

/** One message of a host; the tools take small ones. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

export interface LocalMachine {
  readonly settings: ToolSettings;
  readonly env: ToolMachine['env'];
  readonly clock: Clock;
}

export interface StdioOptions extends LocalMachine {
  readonly input: Readable;
  readonly output: Writable;
  /** For people: anything but the protocol. */
  readonly writeError: (text: string) => void;
}

/** Serves one host over these streams until it closes its side. */
export async function serveTools({
  settings,
  env,
  clock,
  input,
  output,
  writeError: tell,
}: StdioOptions): Promise<void> {
  const onProblem = (error: unknown): void => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    tell(`tollbook tools: ${hideSecrets(text)}\n`);
  };
  const machine = thisMachine(env, settings);
  const sync = autoSync({ settings, machine, clock, onError: onProblem });
  // The answer goes out first.
  const onAnswered = (): void => void setImmediate(sync);
  const session = new ToolSession({ client: openClient(settings), machine, clock, onError: onProblem, onAnswered });
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MESSAGE_BYTES_MAX });
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  input.once('end', resolve).once('close', resolve);
  const handle = serveStdio(() => buildServer(tools, session), { transport, onerror: onProblem });
  await closed;
  await handle.close();
}

/** Runs the sync of SVC_AUTO_SYNC in its own process. Throws if it fails. */
export async function syncFromHere({ settings, env, clock }: LocalMachine): Promise<void> {
  const machine = thisMachine(env, settings);
  const client = openClient(settings);
  const session = new ToolSession({ client, machine, clock, onError: () => undefined });
  await syncNow(session.context(new AbortController().signal, () => undefined));
}

function openClient({ apiUrl, apiKey }: ToolSettings): ApiClient {
  return new ApiClient({ url: apiUrl, apiKey, send: fetch, advice: stdioAdvice });
}
