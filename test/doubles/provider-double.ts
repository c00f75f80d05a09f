import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import {
  type Answer,
  type Asked,
  type ProviderName,
  readAsked,
  renderAnswer,
  renderProviderError,
} from '../../src/demo/answers/answer.ts';
import { sseEvent } from '../../src/demo/answers/facts.ts';
import { Held } from './held.ts';
import { factsOf, type Plan } from './plan.ts';

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
}

/** One small server on loopback that stands in for Anthropic, Google and OpenAI, and does wrong what a test asks. */
export interface ProviderDouble {
  /** Base address of each provider, for `SVC_ANTHROPIC_URL` and the like. */
  readonly urls: Readonly<Record<ProviderName, string>>;
  readonly requests: readonly SeenRequest[];
  /** Plans for the next requests, in the order of their arrival. A request that brings its own plan takes none. */
  plan(...plans: Plan[]): void;
  /** The next answer that waits for the test (`hold`), once it does. */
  held(): Promise<Held>;
  close(): Promise<void>;
}

const ENCODERS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };

export async function startProviderDouble(): Promise<ProviderDouble> {
  const requests: SeenRequest[] = [];
  const plans: Plan[] = [];
  const queue = new HeldQueue();
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await readRequest(request, String(requests.length + 1));
    if (!seen) return void response.writeHead(404).end();
    requests.push(seen);
    response.on('close', () => (seen.aborted = !response.writableFinished));
    await answer(seen, takePlan(seen, plans), response, queue);
  }

  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urls: { anthropic: `${origin}/anthropic`, google: `${origin}/google`, openai: `${origin}/openai` },
    requests,
    plan: (...more) => void plans.push(...more),
    held: () => queue.take(),
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
  return { provider: provider as ProviderName, method, path, headers, rawHeaders, body, id, aborted: false };
}

function takePlan(seen: SeenRequest, plans: Plan[]): Plan {
  const own = seen.headers['x-double'];
  return typeof own === 'string' ? (JSON.parse(own) as Plan) : (plans.shift() ?? {});
}

async function answer(seen: SeenRequest, plan: Plan, response: ServerResponse, queue: HeldQueue): Promise<void> {
  const held = plan.hold ? queue.add(response) : null;
  if (plan.hold === 'headers') await held?.turn();
  if (plan.reset === 'before_headers') return void response.socket?.resetAndDestroy();
  const { status, contentType, pieces } = statusAndBody(seen, plan);
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
    if (!response.write(write)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    await setImmediate();
  }
  if (plan.reset === 'in_body') response.socket?.resetAndDestroy();
  else response.end();
}

function statusAndBody(seen: SeenRequest, plan: Plan): Answer & { status: number } {
  const fail = (status: number, message: string) => ({
    status,
    contentType: 'application/json',
    pieces: [renderProviderError(seen.provider, status, message, seen.id)],
  });
  if (plan.status && plan.status >= 400) return fail(plan.status, plan.message ?? `The test asked for ${plan.status}.`);
  const asked = askedOf(seen);
  if (asked === 'bad') return fail(400, 'The body is not JSON.');
  if (asked === null) return fail(404, `There is no ${seen.method} ${seen.path}.`);
  if (JSON.stringify(seen.headers).includes('invalid-key')) return fail(401, 'The key is not valid.');
  const rendered = renderAnswer(seen.provider, asked, factsOf(plan, asked.model, seen.id));
  return { ...rendered, status: plan.status ?? 200, pieces: withErrorEvent(seen, asked, plan, rendered.pieces) };
}

function askedOf(seen: SeenRequest): Asked | null | 'bad' {
  try {
    return readAsked(seen.provider, seen.method, seen.path, seen.body.toString());
  } catch {
    return 'bad';
  }
}

function withErrorEvent(seen: SeenRequest, asked: Asked, plan: Plan, pieces: readonly string[]): readonly string[] {
  if (plan.errorAfter === undefined || !asked.stream) return pieces;
  const error = renderProviderError(seen.provider, 529, 'Overloaded', seen.id);
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
