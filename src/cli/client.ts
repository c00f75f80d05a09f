import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { buildRequest, type ClientRequest } from '../contract/client.ts';
import type { RouteResponse, RouteKey, RouteRequest } from '../contract/routes.ts';
import type { ErrorShape } from '../contract/errors.ts';
import type { Config } from '../config.ts';
import { ERROR_STATUS, TollbookError, type ErrorType } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { controlSocketPath } from '../lib/fs/socket-path.ts';

interface ApiRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** Response of a service on the socket or of the API in this process. */
interface ApiResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly body: AsyncIterable<Uint8Array> | null;
  json(): Promise<unknown>;
}

interface ApiTransport {
  /** A running service answers; false = the data folder is opened in this process. */
  readonly isService: boolean;
  send(path: string, request: ApiRequest): Promise<ApiResponse>;
  close(): Promise<void>;
}

/** Both together are 5 s: enough time for a service to start on a slow machine. */
const BUSY_TRIES_MAX = 50;
const BUSY_WAIT_MS = 100;

/** Maximum wait for the first response of a running service, which may be busy. */
const ANSWER_MS_MAX = 20_000;

const NOBODY_LISTENS = new Set(['ENOENT', 'ECONNREFUSED']);

/** Calls the management API for a command: as the owner of the data folder, in one workspace. */
export class Client {
  readonly #transport: ApiTransport;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(transport: ApiTransport, workspace: string | undefined) {
    this.#transport = transport;
    this.#headers = workspace === undefined ? {} : { 'x-svc-workspace': workspace };
  }

  /** A running service answers; false = the data folder is opened in this process. */
  get isService(): boolean {
    return this.#transport.isService;
  }

  /** Sends a request and reads its JSON response. The route gives the types of both. */
  async call<Key extends RouteKey>(
    key: Key,
    ...[parts]: Partial<RouteRequest<Key>> extends RouteRequest<Key> ? [RouteRequest<Key>?] : [RouteRequest<Key>]
  ): Promise<RouteResponse<Key>> {
    const answer = await this.#send(buildRequest(key, parts ?? ({} as RouteRequest<Key>)));
    return (await answer.json()) as RouteResponse<Key>;
  }

  /** Sends a request and returns its response as a stream, because it may be too large for memory. */
  async stream<Key extends RouteKey>(key: Key, parts: RouteRequest<Key>): Promise<AsyncIterable<Uint8Array>> {
    const { body } = await this.#send(buildRequest(key, parts));
    return body ?? Readable.from([]);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async #send({ path, headers, ...request }: ClientRequest): Promise<ApiResponse> {
    const answer = await this.#transport.send(path, { ...request, headers: { ...this.#headers, ...headers } });
    if (!answer.ok) throw readError(answer.status, await answer.json().catch(() => null));
    return answer;
  }
}

export interface ConnectOptions {
  readonly config: Config;
  /** Absent = the default one. */
  readonly workspace?: string | undefined;
  readonly clock: Clock;
  readonly wait?: () => Promise<unknown>;
  readonly answerMsMax?: number;
}

/**
 * Connects to the service that runs on this data folder. If none runs, opens the folder in this process. If another
 * process holds the folder but has no socket, this waits: it is another command, or a service that is starting.
 */
export async function connect({
  config,
  workspace,
  clock,
  wait = () => setTimeout(BUSY_WAIT_MS),
  answerMsMax = ANSWER_MS_MAX,
}: ConnectOptions): Promise<Client> {
  for (let tries = 1; ; tries += 1) {
    const socket = await openSocket(config.dataDir, answerMsMax);
    if (socket) return new Client(socket, workspace);
    try {
      return new Client(await openFolder(config, clock), workspace);
    } catch (error) {
      const held = error instanceof TollbookError && error.type === 'conflict';
      if (!held || tries >= BUSY_TRIES_MAX) throw error;
    }
    await wait();
  }
}

async function openSocket(dataDir: string, answerMsMax: number): Promise<ApiTransport | null> {
  const socketPath = controlSocketPath(dataDir);
  if (process.platform !== 'win32' && !existsSync(socketPath)) return null;
  // For a fast start, a command loads undici only if a service may run, and the code that opens a folder only if none does.
  const { Agent, fetch: fetchBySocket } = await import('undici');
  const agent = new Agent({ connect: { socketPath } });
  const transport: ApiTransport = {
    isService: true,
    send: (path, request) => fetchBySocket(`http://tollbook${path}`, { ...request, dispatcher: agent }),
    close: () => agent.close(),
  };
  try {
    // Any response shows that a service runs.
    await transport.send('/', { method: 'OPTIONS', headers: {}, signal: AbortSignal.timeout(answerMsMax) });
    return transport;
  } catch (error) {
    await agent.destroy();
    if (NOBODY_LISTENS.has(errorCode(error))) return null;
    throw new TollbookError(
      'unavailable',
      `The service does not answer on ${socketPath} (${errorCode(error)}). If it hangs, end its process and start it again.`,
    );
  }
}

function errorCode(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in time';
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'no reason given';
}

/** Opens an existing data folder, or a database. Reading never creates a folder, because the path may be wrong. */
async function openFolder(config: Config, clock: Clock): Promise<ApiTransport> {
  if (config.databaseUrl !== null || existsSync(config.dataDir)) return await openOfflineTransport(config, clock);
  let opened: ApiTransport | null = null;
  return {
    isService: false,
    async send(path, request) {
      if (request.method === 'GET' && !opened) throw new TollbookError('not_found', noFolder(config.dataDir));
      opened ??= await openOfflineTransport(config, clock);
      return await opened.send(path, request);
    },
    close: async () => await opened?.close(),
  };
}

function noFolder(dataDir: string): string {
  return `No data folder at ${resolve(dataDir)}. Start the service (tollbook serve), or set SVC_DATA_DIR to its data folder.`;
}

async function openOfflineTransport(config: Config, clock: Clock): Promise<ApiTransport> {
  const [{ createLog }, { openOffline }] = await Promise.all([import('../lib/log.ts'), import('../ledger/offline.ts')]);
  // Standard output is for the output of the command, so the log has only warnings and errors, on standard error.
  const log = createLog({ level: 'warn', destination: process.stderr });
  const ledger = await openOffline({ config, log, clock });
  return {
    isService: false,
    send: async (path, request) => ledger.fetch(new Request(`http://tollbook${path}`, request)),
    close: () => ledger.close(),
  };
}

/** Replaces the service's text, which says to read again. A command reads and changes in one run, so run it again. */
const CHANGED_TEXT = 'Someone else changed this at the same time, so nothing was saved. Run the command again.';

function readError(status: number, body: unknown): TollbookError {
  const { error, type, param } = (body ?? {}) as Partial<ErrorShape>;
  if (type === 'precondition_failed') return new TollbookError(type, CHANGED_TEXT, param);
  const known = Object.keys(ERROR_STATUS).find((name): name is ErrorType => name === type);
  return new TollbookError(known ?? 'internal', error ?? `The service answered with status ${status}.`, param);
}
