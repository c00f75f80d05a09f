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

interface Question {
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

interface Line {
  ask(path: string, question: Question): Promise<ApiResponse>;
  close(): Promise<void>;
}

/** Together some seconds: as long as a slow machine needs to start a service. */
const BUSY_TRIES_MAX = 50;
const BUSY_WAIT_MS = 100;

/** For a service to say that it is there, however busy. */
const ANSWER_MS_MAX = 20_000;

const NOBODY_LISTENS = new Set(['ENOENT', 'ECONNREFUSED']);

/** A command's line to the management API: as the owner of the data folder, in one workspace. */
export class Client {
  readonly #line: Line;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(line: Line, workspace: string | undefined) {
    this.#line = line;
    this.#headers = workspace === undefined ? {} : { 'x-svc-workspace': workspace };
  }

  /** Sends a request of the contract; its parts and its answer are typed by the route. */
  async call<Key extends RouteKey>(
    key: Key,
    ...[parts]: Partial<RouteRequest<Key>> extends RouteRequest<Key> ? [RouteRequest<Key>?] : [RouteRequest<Key>]
  ): Promise<RouteResponse<Key>> {
    const answer = await this.#ask(buildRequest(key, parts ?? ({} as RouteRequest<Key>)));
    return (await answer.json()) as RouteResponse<Key>;
  }

  /** For answers that are too long to hold. */
  async stream<Key extends RouteKey>(key: Key, parts: RouteRequest<Key>): Promise<AsyncIterable<Uint8Array>> {
    const { body } = await this.#ask(buildRequest(key, parts));
    return body ?? Readable.from([]);
  }

  close(): Promise<void> {
    return this.#line.close();
  }

  async #ask({ path, headers, ...request }: ClientRequest): Promise<ApiResponse> {
    const answer = await this.#line.ask(path, { ...request, headers: { ...this.#headers, ...headers } });
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
 * Through the socket of the service that runs on this data folder; where none runs, the folder is opened here. Who holds
 * the folder without a socket is a service that starts or another command: that one is waited for.
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

async function openSocket(dataDir: string, answerMsMax: number): Promise<Line | null> {
  const socketPath = controlSocketPath(dataDir);
  if (process.platform !== 'win32' && !existsSync(socketPath)) return null;
  // This is loaded only where a service may run, and what opens a folder only where none does: a command starts fast.
  const { Agent, fetch: fetchBySocket } = await import('undici');
  const agent = new Agent({ connect: { socketPath } });
  const line: Line = {
    ask: (path, question) => fetchBySocket(`http://tollbook${path}`, { ...question, dispatcher: agent }),
    close: () => agent.close(),
  };
  try {
    // Any response shows that a service runs.
    await line.ask('/', { method: 'OPTIONS', headers: {}, signal: AbortSignal.timeout(answerMsMax) });
    return line;
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
async function openFolder(config: Config, clock: Clock): Promise<Line> {
  if (config.databaseUrl !== null || existsSync(config.dataDir)) return await openOfflineLine(config, clock);
  let opened: Line | null = null;
  return {
    async ask(path, question) {
      if (question.method === 'GET' && !opened) throw new TollbookError('not_found', noFolder(config.dataDir));
      opened ??= await openOfflineLine(config, clock);
      return await opened.ask(path, question);
    },
    close: async () => await opened?.close(),
  };
}

function noFolder(dataDir: string): string {
  return `No data folder at ${resolve(dataDir)}. Start the service (tollbook serve), or set SVC_DATA_DIR to its data folder.`;
}

async function openOfflineLine(config: Config, clock: Clock): Promise<Line> {
  const [{ createLog }, { openOffline }] = await Promise.all([import('../lib/log.ts'), import('../ledger/offline.ts')]);
  // A command speaks through its own output; only what is wrong goes to the log, and that to standard error.
  const log = createLog({ level: 'warn', destination: process.stderr });
  const ledger = await openOffline({ config, log, clock });
  return {
    ask: async (path, question) => ledger.fetch(new Request(`http://tollbook${path}`, question)),
    close: () => ledger.close(),
  };
}

/** A command reads and changes in one run, so there is nothing for people to read again. */
const CHANGED_TEXT = 'Someone else changed this at the same time, so nothing was saved. Run the command again.';

function readError(status: number, body: unknown): TollbookError {
  const { error, type, param } = (body ?? {}) as Partial<ErrorShape>;
  if (type === 'precondition_failed') return new TollbookError(type, CHANGED_TEXT, param);
  const known = Object.keys(ERROR_STATUS).find((name): name is ErrorType => name === type);
  return new TollbookError(known ?? 'internal', error ?? `The service answered with status ${status}.`, param);
}
