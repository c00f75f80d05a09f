import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import {
  type SandboxResponse,
  type SandboxRequest,
  type ProviderName,
  readAsked,
  renderAnswer,
  renderProviderError,
} from '../../src/demo/answers/answer.ts';
import { sseEvent } from '../../src/demo/answers/facts.ts';
import { Barrier } from './barrier.ts';
import { Bill, type BillRow, charge } from './bill.ts';
import { Held } from './held.ts';
import { factsOf, type Plan } from './plan.ts';
import { serveResponsesSocket } from './responses-socket.ts';

/** A request as it reached the provider. */
export interface SeenRequest {
  readonly provider: ProviderName;
  readonly method: string;
  /** With its query, below the provider's base address. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Id in the answer: `msg_` + id, `chatcmpl-` + id, …. */
  readonly id: string;
  /** The caller closed the connection before the answer's end. */
  aborted: boolean;
  /** Answered, or given up. */
  over: boolean;
}

/** A small server on loopback that acts as Anthropic, Google and OpenAI, with the faults that a test requests. */
export interface ProviderDouble {
  /** Base address of each provider, for `SVC_ANTHROPIC_URL` and the like. */
  readonly urls: Readonly<Record<ProviderName, string>>;
  readonly requests: readonly SeenRequest[];
  /** Plans for the next requests, in the order of their arrival. A request that brings its own plan takes none. */
  plan(...plans: Plan[]): void;
  /** The next answer that waits for the test (`hold`), once it does. */
  held(): Promise<Held>;
  /** Shut, it stops every answer before its headers. */
  readonly barrier: Barrier;
  /** What the calls so far cost, by the double's own prices. */
  readonly bill: Bill;
  /** Open connections, idle ones too. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

const ENCODERS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };

export async function startProviderDouble(): Promise<ProviderDouble> {
  const requests: SeenRequest[] = [];
  const plans: Plan[] = [];
  const queue = new HeldQueue();
  const barrier = new Barrier();
  const bill = new Bill();
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await readRequest(request, String(requests.length + 1));
    if (!seen) return void response.writeHead(404).end();
    requests.push(seen);
    response.on('close', () => {
      seen.over = true;
      seen.aborted = !response.writableFinished;
    });
    const plan = takePlan(seen, plans);
    const asked = askedOf(seen);
    const given = answerTo(seen, asked, plan);
    const row = billed(bill, seen, asked, plan, given.status);
    if (row) response.on('finish', () => (row.delivered = given.whole));
    await barrier.pass();
    await deliver(seen, given, plan, response, queue);
  }

  serveResponsesSocket(server, { requests, plans, barrier, bill });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urls: { anthropic: `${origin}/anthropic`, google: `${origin}/google`, openai: `${origin}/openai` },
    requests,
    plan: (...more) => void plans.push(...more),
    held: () => queue.take(),
    barrier,
    bill,
    connections: () => promisify(server.getConnections.bind(server))(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readRequest(request: IncomingMessage, id: string): Promise<SeenRequest | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const [, provider, path = ''] = /^\/(anthropic|google|openai)(\/.*)?$/.exec(request.url ?? '') ?? [];
  if (!provider) return null;
  const { method = '', headers, rawHeaders } = request;
  const body = Buffer.concat(chunks);
  return {
    provider: provider as ProviderName,
    method,
    path,
    headers,
    rawHeaders,
    body,
    id,
    aborted: false,
    over: false,
  };
}

function takePlan(seen: SeenRequest, plans: Plan[]): Plan {
  const own = seen.headers['x-double'];
  return typeof own === 'string' ? (JSON.parse(own) as Plan) : (plans.shift() ?? {});
}

/** Returns the row of a call on the bill; null = free, or unknown to the provider. */
function billed(
  bill: Bill,
  seen: SeenRequest,
  asked: SandboxRequest | null | 'bad',
  plan: Plan,
  status: number,
): BillRow | null {
  if (asked === null || asked === 'bad' || asked.operation === 'count' || asked.operation === 'models') return null;
  const { provider, id, headers } = seen;
  const key = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization?.replace(/^Bearer /, '') ?? '';
  const model = plan.model ?? asked.model;
  const charged = status >= 400 ? { nano: 0n, unsure: false } : charge(provider, asked, plan);
  const row = { id, provider, model, key: String(key), ...charged, delivered: false };
  bill.rows.push(row);
  return row;
}

interface Given extends SandboxResponse {
  readonly status: number;
  /** It has its end, and tells its usage. */
  readonly whole: boolean;
}

async function deliver(
  seen: SeenRequest,
  given: Given,
  plan: Plan,
  response: ServerResponse,
  queue: HeldQueue,
): Promise<void> {
  const held = plan.hold ? queue.add(response) : null;
  if (plan.hold === 'headers') await held?.turn();
  if (plan.reset === 'before_headers') return void response.socket?.resetAndDestroy();
  const { status, contentType, pieces } = given;
  response.writeHead(status, {
    'content-type': contentType,
    [seen.provider === 'anthropic' ? 'request-id' : 'x-request-id']: `req_${seen.id}`,
    ...(plan.encoding ? { 'content-encoding': plan.encoding } : {}),
    ...plan.headers,
  });
  response.flushHeaders();
  for (const [index, write] of cutIntoWrites(pieces, plan).entries()) {
    if (plan.hold === 'writes') await held?.turn();
    if (plan.reset === 'in_body' && index > 0) break;
    if (response.destroyed) return;
    if (!response.write(write)) await roomOf(response);
    await setImmediate();
  }
  if (plan.reset === 'in_body') response.socket?.resetAndDestroy();
  else response.end();
}

function answerTo(seen: SeenRequest, asked: SandboxRequest | null | 'bad', plan: Plan): Given {
  const fail = (status: number, message: string) => ({
    status,
    whole: false,
    contentType: 'application/json',
    pieces: [renderProviderError(seen.provider, status, message, seen.id)],
  });
  if (plan.status && plan.status >= 400) return fail(plan.status, plan.message ?? `The test asked for ${plan.status}.`);
  const { body, contentType = 'application/json' } = plan;
  if (body !== undefined) return { status: 200, whole: true, contentType, pieces: [body] };
  if (asked === 'bad') return fail(400, 'The body is not JSON.');
  if (asked === null) return fail(404, `There is no ${seen.method} ${seen.path}.`);
  if (JSON.stringify(seen.headers).includes('invalid-key')) return fail(401, 'The key is not valid.');
  const rendered = renderAnswer(seen.provider, asked, factsOf(plan, seen.provider, asked.model, seen.id));
  const pieces = asked.stream ? cutStream(seen, asked, plan, rendered.pieces) : rendered.pieces;
  const whole = pieces === rendered.pieces && !plan.noUsage && !plan.reset && plan.truncateBytes === undefined;
  return { ...rendered, status: plan.status ?? 200, pieces, whole };
}

function askedOf(seen: SeenRequest): SandboxRequest | null | 'bad' {
  try {
    return readAsked(seen.provider, seen.method, seen.path, seen.body.toString());
  } catch {
    return 'bad';
  }
}

function cutStream(seen: SeenRequest, asked: SandboxRequest, plan: Plan, pieces: readonly string[]): readonly string[] {
  if (plan.endAfter !== undefined && plan.endAfter < pieces.length) return pieces.slice(0, plan.endAfter);
  if (plan.errorAfter === undefined) return pieces;
  const error = renderProviderError(seen.provider, 529, 'Overloaded', seen.id);
  if (asked.array) return [...pieces.slice(0, plan.errorAfter), `,${error}\n`, ']'];
  const named = asked.operation === 'messages' || asked.operation === 'responses';
  return [...pieces.slice(0, plan.errorAfter), sseEvent(named ? 'error' : null, error)];
}

function cutIntoWrites(pieces: readonly string[], plan: Plan): Buffer[] {
  const { encoding, splitBytes, truncateBytes } = plan;
  if (!encoding && !splitBytes && truncateBytes === undefined) return pieces.map((piece) => Buffer.from(piece));
  const whole = Buffer.from(pieces.join(''));
  const body = (encoding ? ENCODERS[encoding](whole) : whole).subarray(0, truncateBytes);
  const step = splitBytes ?? Math.max(1, body.length);
  return Array.from({ length: Math.ceil(body.length / step) }, (_, at) => body.subarray(at * step, (at + 1) * step));
}

/** Hands each waiting answer to the test in the order of arrival. */
class HeldQueue {
  readonly #waiting: Held[] = [];
  readonly #takers: ((held: Held) => void)[] = [];

  add(response: ServerResponse): Held {
    const held = new Held(response);
    const taker = this.#takers.shift();
    if (taker) taker(held);
    else this.#waiting.push(held);
    return held;
  }

  take(): Promise<Held> {
    const held = this.#waiting.shift();
    return held ? Promise.resolve(held) : new Promise((resolve) => this.#takers.push(resolve));
  }
}

/** Until its client has read enough, or is gone. */
function roomOf(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}
