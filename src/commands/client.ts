import { existsSync } from 'node:fs';
import { Agent, fetch as fetchBySocket } from 'undici';
import type { Config } from '../config.ts';
import { ERROR_STATUS, TollbookError } from '../core/errors.ts';
import type { ErrorType } from '../core/errors.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { controlSocketPath } from '../lib/socket-path.ts';

/** A command's line to the management API: as the owner of the data folder, in one workspace. */
export interface Client {
  get<Answer>(path: string, query?: Readonly<Record<string, string | undefined>>): Promise<Answer>;
  send<Answer>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer>;
  /** For answers that are too long to hold. */
  stream(path: string, query?: Readonly<Record<string, string | undefined>>): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

interface Question {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** What a service on the socket and an app in this process have in common. */
interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly body: AsyncIterable<Uint8Array> | null;
  json(): Promise<unknown>;
}

interface Line {
  ask(path: string, question: Question): Promise<Answer>;
  close(): Promise<void>;
}

const NOBODY_LISTENS = new Set(['ENOENT', 'ECONNREFUSED']);

/** Through the socket of the service that runs on this data folder; where none runs, the folder is opened here. */
export async function connect(config: Config, workspace: string | undefined): Promise<Client> {
  const line = (await openSocket(config.dataDir)) ?? (await openFolder(config));
  const headers: Record<string, string> = workspace === undefined ? {} : { 'x-svc-workspace': workspace };
  const ask = async (path: string, question: Question): Promise<Answer> => {
    const answer = await line.ask(path, question);
    if (!answer.ok) throw readError(answer.status, await answer.json().catch(() => null));
    return answer;
  };
  return {
    get: async (path, query = {}) =>
      (await (await ask(withQuery(path, query), { method: 'GET', headers })).json()) as never,
    send: async (method, path, body) => {
      const json = body === undefined ? {} : { body: JSON.stringify(body) };
      const types = body === undefined ? {} : { 'content-type': 'application/json' };
      return (await (await ask(path, { method, headers: { ...headers, ...types }, ...json })).json()) as never;
    },
    stream: async (path, query = {}) =>
      (await ask(withQuery(path, query), { method: 'GET', headers })).body ?? nothing(),
    close: () => line.close(),
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function openSocket(dataDir: string): Promise<Line | null> {
  const socketPath = controlSocketPath(dataDir);
  if (process.platform !== 'win32' && !existsSync(socketPath)) return null;
  const agent = new Agent({ connect: { socketPath } });
  const line: Line = {
    ask: (path, question) => fetchBySocket(`http://tollbook${path}`, { ...question, dispatcher: agent }),
    close: () => agent.close(),
  };
  try {
    // Any answer tells that somebody is there.
    await (await line.ask('/openapi.json', { method: 'HEAD', headers: {} })).json().catch(() => null);
    return line;
  } catch (error) {
    await agent.destroy();
    if (NOBODY_LISTENS.has(codeOf(error))) return null;
    throw new TollbookError('unavailable', `The running service does not answer on ${socketPath} (${codeOf(error)}).`);
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'no reason given';
}

async function openFolder(config: Config): Promise<Line> {
  // A command speaks through its own output; only what is wrong goes to the log, and that to standard error.
  const log = createLog({ level: 'warn', destination: process.stderr });
  // Loaded only where no service runs, so that a command that talks to one starts fast.
  const { openOffline } = await import('../book/offline.ts');
  const book = await openOffline({ config, log, clock: systemClock });
  return {
    ask: async (path, question) => book.fetch(new Request(`http://tollbook${path}`, question)),
    close: () => book.close(),
  };
}

function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

function readError(status: number, body: unknown): TollbookError {
  const { error, type, param } = (body ?? {}) as { error?: string; type?: string; param?: string };
  const known = Object.keys(ERROR_STATUS).find((name): name is ErrorType => name === type);
  return new TollbookError(known ?? 'internal', error ?? `The service answered with status ${status}.`, param);
}
