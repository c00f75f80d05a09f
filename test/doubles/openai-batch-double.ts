import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Tokens of one answered request. */
const INPUT = 10;
const OUTPUT = 20;
/** gpt-5.4 in a batch, per token. */
const INPUT_NANO = 1_250;
const OUTPUT_NANO = 7_500;

/** OpenAI's files and batches, with a bill of its own. A batch has ended as soon as it is asked for; its last request fails. */
export interface OpenaiBatchDouble {
  readonly url: string;
  readonly batches: number;
  /** nano-USD of all results so far. */
  readonly bill: number;
  close(): Promise<void>;
}

export async function startOpenaiBatchDouble(): Promise<OpenaiBatchDouble> {
  const files = new Map<string, string>();
  const inputs: string[] = [];
  const cancelled = new Set<number>();
  let bill = 0;

  function endBatch(at: number): object {
    const lines = (files.get(inputs[at] ?? '') ?? '').split('\n').filter((line) => line !== '');
    const answered = lines.slice(0, -1);
    const status = cancelled.has(at) ? 'cancelled' : 'expired';
    bill = answered.length * (INPUT * INPUT_NANO + OUTPUT * OUTPUT_NANO);
    files.set('file-output', answered.map(answerLine).join('\n'));
    files.set('file-errors', JSON.stringify({ custom_id: 'last', response: null, error: { code: `batch_${status}` } }));
    const counts = { total: lines.length, completed: answered.length, failed: 1 };
    const results = { output_file_id: 'file-output', error_file_id: 'file-errors', request_counts: counts };
    return { id: `batch_${at}`, object: 'batch', status, ...results };
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of req) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces).toString();
    const [, kind, id, part] = /^\/v1\/(files|batches)(?:\/([\w-]+))?(\/content|\/cancel)?$/.exec(req.url ?? '') ?? [];
    if (kind === 'files' && req.method === 'POST') {
      files.set('file-input', body.slice(body.indexOf('{"custom_id"'), body.lastIndexOf('}') + 1));
      return sendJson(res, { id: 'file-input', object: 'file', purpose: 'batch' });
    }
    if (kind === 'batches' && req.method === 'POST' && part === undefined) {
      inputs.push((JSON.parse(body) as { input_file_id: string }).input_file_id);
      const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
      return sendJson(res, { id: `batch_${inputs.length - 1}`, object: 'batch', status: 'validating', usage });
    }
    const at = Number(id?.split('_')[1]);
    if (part === '/cancel') cancelled.add(at);
    if (kind === 'batches') return sendJson(res, endBatch(at));
    const content = part === undefined ? undefined : files.get(id ?? '');
    if (content === undefined) return void res.writeHead(404).end('{"error":{"message":"no such file"}}');
    res.writeHead(200, { 'content-type': 'application/octet-stream' }).end(content);
  }

  const server = createServer((req, res) => void serve(req, res));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get batches() {
      return inputs.length;
    },
    get bill() {
      return bill;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendJson(res: ServerResponse, body: object): void {
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function answerLine(line: string): string {
  const { custom_id: id, body } = JSON.parse(line) as { custom_id: string; body: { model: string } };
  const usage = { prompt_tokens: INPUT, completion_tokens: OUTPUT, total_tokens: INPUT + OUTPUT };
  const answer = { id: 'chatcmpl-1', object: 'chat.completion', model: body.model, choices: [], usage };
  return JSON.stringify({ custom_id: id, response: { status_code: 200, body: answer }, error: null });
}
