import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { request as sendRequest } from 'undici';
import {
  type SandboxRequest,
  type ProviderName,
  readAsked,
  renderAnswer,
  renderProviderError,
} from './answers/answer.ts';
import type { ResponseFacts } from './answers/facts.ts';
import { DemoOrganization, type OrganizationUse } from './organization.ts';
import { EMBEDDING_MS, FIRST_BYTE_MS, MS_PER_TOKEN, OUTPUT_TOKENS_MAX, type RandomSource, spread } from './teams.ts';

/** A sandbox provider on loopback. It accepts every key and charges nothing. */
export interface Sandbox {
  /** Base address of each provider, to be used as `SVC_ANTHROPIC_URL` and the like. */
  readonly urls: Readonly<Record<ProviderName, string>>;
  close(): Promise<void>;
}

/** The demo's own calls ask for a length of the answer and now and then for an error. */
export const SANDBOX_OUTPUT_HEADER = 'x-demo-output-tokens';
export const SANDBOX_STATUS_HEADER = 'x-demo-status';

/** Path of the sandbox receiver for webhooks. */
export const RECEIVER_PATH = '/receiver';
const FLAKY_EVERY = 3;

/** Below it the made-up organization has its reports, and takes what its past was. */
export const ORGANIZATION_PATH = '/v1/organizations';
const ORGANIZATION = /^\/anthropic\/v1\/organizations(?:\/|$)/;

const BODY_BYTES_MAX = 32 * 1_024 * 1_024;
const OUTPUT_TOKENS_USUAL = 60;
const PIECE_TOKENS = 40;
const BYTES_PER_TOKEN = 4;
const CACHED_SHARE = 0.75;

export async function startSandbox(random: RandomSource): Promise<Sandbox> {
  const receiver = new SandboxReceiver();
  const organization = new DemoOrganization();
  const server = createServer((request, response) => {
    if (request.url?.startsWith(RECEIVER_PATH)) return receiver.take(request, response);
    const reported = ORGANIZATION.test(request.url ?? '')
      ? report(request, response, organization)
      : answer(request, response, random);
    reported.catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urls: { anthropic: `${origin}/anthropic`, google: `${origin}/google`, openai: `${origin}/openai` },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Sets the usage that the sandbox organization reports. */
export async function sendSandboxUsage(url: string, uses: readonly OrganizationUse[]): Promise<void> {
  const sent = await sendRequest(url, { method: 'POST', body: JSON.stringify(uses) });
  await sent.body.dump();
}

/** Serves the organization's reports; the demo sets their content by POST. */
async function report(asked: IncomingMessage, response: ServerResponse, organization: DemoOrganization): Promise<void> {
  const body = await readBody(asked);
  if (asked.method === 'POST') for (const use of JSON.parse(body ?? '[]') as OrganizationUse[]) organization.add(use);
  const answered = asked.method === 'POST' ? {} : organization.answer(new URL(asked.url ?? '/', 'http://demo'));
  response.writeHead(answered ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answered ?? { type: 'error', error: { type: 'not_found_error', message: 'DEMO' } }));
}

/** Accepts messages of webhooks; those to `/flaky` only at the third attempt. */
class SandboxReceiver {
  #attempts = 0;

  take(request: IncomingMessage, response: ServerResponse): void {
    if (request.url?.endsWith('/flaky')) this.#attempts += 1;
    const status = this.#attempts % FLAKY_EVERY === 0 ? 200 : 503;
    request.resume().on('end', () => {
      response.writeHead(request.url?.endsWith('/flaky') ? status : 200, { 'content-type': 'text/plain' });
      response.end(status === 200 ? 'taken\n' : 'DEMO: not now\n');
    });
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, random: RandomSource): Promise<void> {
  const [, name, path = ''] = /^\/(anthropic|google|openai)(\/.*)?$/.exec(request.url ?? '') ?? [];
  const provider = name as ProviderName | undefined;
  if (!provider) return void response.writeHead(404).end();
  const id = randomUUID().replaceAll('-', '');
  const refuse = (status: number, message: string) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(renderProviderError(provider, status, message, id));
  };
  const body = await readBody(request);
  if (body === null) return refuse(413, 'DEMO: the request is too large.');
  const status = Number(request.headers[SANDBOX_STATUS_HEADER] ?? 200);
  if (status >= 400 && status < 600) return refuse(status, 'DEMO: an error, as real providers have them.');
  const asked = tryRead(provider, request.method ?? '', path, body);
  if (asked === 'unreadable') return refuse(400, 'DEMO: the body is not JSON.');
  if (asked === null) return refuse(404, 'DEMO: the sandbox has no such route.');
  const facts = invent(request, asked, body, id, random);
  const { contentType, pieces } = renderAnswer(provider, asked, facts);
  await setTimeout(spread(asked.operation === 'embeddings' ? EMBEDDING_MS : FIRST_BYTE_MS, random));
  if (!asked.stream && asked.operation !== 'embeddings') await setTimeout(facts.tokens.output * MS_PER_TOKEN);
  response.writeHead(200, { 'content-type': contentType, 'request-id': `req_${id}`, 'x-request-id': `req_${id}` });
  for (const piece of pieces) {
    if (response.destroyed) return;
    response.write(piece);
    if (pieces.length > 1) await setTimeout(PIECE_TOKENS * MS_PER_TOKEN * random() * 2);
  }
  response.end();
}

function tryRead(
  provider: ProviderName,
  method: string,
  path: string,
  body: string,
): SandboxRequest | null | 'unreadable' {
  try {
    return readAsked(provider, method, path, body);
  } catch {
    return 'unreadable';
  }
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The prompt's length decides the input tokens; a prompt marked for caching comes mostly from the cache. */
function invent(
  request: IncomingMessage,
  asked: SandboxRequest,
  body: string,
  id: string,
  random: RandomSource,
): ResponseFacts {
  const wanted = Number(request.headers[SANDBOX_OUTPUT_HEADER] ?? spread(OUTPUT_TOKENS_USUAL, random));
  const output = Math.max(1, Math.min(Math.round(wanted) || 1, OUTPUT_TOKENS_MAX, readOutputMax(body)));
  const prompt = Math.max(1, Math.ceil(body.length / BYTES_PER_TOKEN));
  const cacheRead = body.includes('"cache_control"') ? Math.floor(prompt * CACHED_SHARE) : 0;
  return {
    id,
    model: asked.model || 'demo-model',
    pieces: text(output),
    tool: null,
    tokens: { input: prompt - cacheRead, cacheRead, cacheWrite5m: 0, cacheWrite1h: 0, output, thinking: 0 },
    searches: 0,
    tier: null,
    reportsUsage: true,
    usageFields: {},
  };
}

/** Reads the requested output maximum from any of the providers' fields. The sandbox respects it, as providers do. */
function readOutputMax(body: string): number {
  const found = /"(?:max_(?:completion_|output_)?tokens|maxOutputTokens)"\s*:\s*(\d+)/.exec(body);
  return found ? Number(found[1]) : OUTPUT_TOKENS_MAX;
}

const WORDS = 'this is the demo speaking: no model was asked, no money was spent, and the numbers are made up;'.split(
  ' ',
);

function text(tokens: number): string[] {
  const words = Array.from({ length: tokens }, (_, index) => WORDS[index % WORDS.length]);
  const pieces: string[] = [];
  for (let at = 0; at < words.length; at += PIECE_TOKENS)
    pieces.push(`${words.slice(at, at + PIECE_TOKENS).join(' ')} `);
  return pieces;
}
