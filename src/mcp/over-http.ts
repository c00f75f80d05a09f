import type { McpServer } from '@modelcontextprotocol/server';
import type { Clock } from '../lib/clock.ts';
import { httpAdvice } from './advice.ts';
import { ApiClient, type SendRequest } from './client.ts';
import { buildServer } from './server.ts';
import { ToolSession } from './session.ts';
import type { ToolMachine } from './tool.ts';
import { tools } from './tools.ts';

export interface HttpOptions {
  /** Public address of the service. */
  readonly url: string;
  readonly send: SendRequest;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Replaces the local machine over HTTP, where tools that read local files are not offered. */
const NO_MACHINE: ToolMachine = { env: {}, timeZone: 'UTC', codexSync: false };
const offered = tools.filter(({ needsFiles }) => !needsFiles);

/** A tool server for the holder of an access token. */
export function serveOverHttp({ url, send, clock, onError: onProblem }: HttpOptions): (secret: string) => McpServer {
  return (secret) => {
    const client = new ApiClient({ url, apiKey: secret, send, advice: httpAdvice });
    return buildServer(offered, new ToolSession({ client, machine: NO_MACHINE, clock, onError: onProblem }));
  };
}
