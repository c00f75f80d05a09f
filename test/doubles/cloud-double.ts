import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderDouble } from './provider-double.ts';
import { readBedrock } from './bedrock-form.ts';
import { readVertex } from './vertex-form.ts';

/** A request as it reached the cloud. */
export interface CloudRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

type Fields = Readonly<Record<string, unknown>>;

/** The same request in the form of a model's vendor, and the form of the answer if the cloud has another. */
interface TranslatedRequest {
  readonly url: string;
  readonly body: string;
  /** Event of a stream → its bytes in the stream of the cloud. */
  readonly event?: (event: Fields) => Buffer;
  readonly whole?: (answer: Fields) => object;
}

/** null = the cloud has no such path. A text = why it refuses the request. */
export type VendorForm = TranslatedRequest | string | null;

/**
 * A cloud in front of a double of its models' vendors: it checks the cloud's own form and hands the rest on. Plans,
 * faults and the bill are those of the double behind it.
 */
export interface CloudDouble {
  readonly origin: string;
  readonly requests: readonly CloudRequest[];
  close(): Promise<void>;
}

export async function startCloudDouble(behind: Pick<ProviderDouble, 'urls'>): Promise<CloudDouble> {
  const requests: CloudRequest[] = [];
  const server = createServer((asked, response) => {
    serve(asked, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function serve(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await readRequest(asked);
    requests.push(seen);
    const { urls } = behind;
    const form = seen.path.startsWith('/model/') ? readBedrock(seen, urls['anthropic']) : readVertex(seen, urls);
    if (form === null) return void response.writeHead(404).end();
    if (typeof form === 'string') return refuse(response, 400, form);
    const headers = { 'content-type': 'application/json', ...plannedHeaders(seen.headers) };
    const sent = request(form.url, { method: seen.method, headers }, (answer) => {
      answer.once('error', () => response.destroy());
      if (form.event && form.whole && answer.statusCode === 200) return translate(answer, response, form);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    response.once('close', () => sent.destroy());
    sent.once('error', () => response.destroy());
    sent.end(form.body);
  }

  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Writes an answer in the form of the cloud, each event as soon as it is there. */
function translate(answer: IncomingMessage, response: ServerResponse, { event, whole }: TranslatedRequest): void {
  const isStream = answer.headers['content-type'] === 'text/event-stream';
  response.writeHead(200, {
    'content-type': isStream ? 'application/vnd.amazon.eventstream' : 'application/json',
    'x-amzn-requestid': answer.headers['request-id'] ?? '',
  });
  let text = '';
  answer.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    if (!isStream) return;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const each of events) {
      const data = JSON.parse(each.replace(/^[\s\S]*?^data: /m, '')) as Fields;
      response.write(event?.(data) ?? '');
    }
  });
  answer.once('end', () => response.end(isStream ? '' : JSON.stringify(whole?.(JSON.parse(text) as Fields))));
}

function refuse(response: ServerResponse, code: number, message: string): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ message, error: { code, message, status: 'INVALID_ARGUMENT' } }));
}

function plannedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const { 'x-double': plan, authorization } = headers;
  return {
    ...(typeof plan === 'string' && { 'x-double': plan }),
    ...(authorization !== undefined && { authorization }),
  };
}

async function readRequest(asked: IncomingMessage): Promise<CloudRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of asked) chunks.push(chunk as Buffer);
  const { method = '', url: path = '', headers, rawHeaders } = asked;
  return { method, path, headers, rawHeaders, body: Buffer.concat(chunks) };
}
