import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Tokens of one answered request. */
const INPUT = 10;
const OUTPUT = 20;
/** gemini-2.5-flash in a batch, per token. */
const INPUT_NANO = 150;
const OUTPUT_NANO = 1_250;

interface AskedBatch {
  readonly batch: { readonly inputConfig: { readonly requests: { readonly requests: readonly object[] } } };
}

/** Gemini's batches, with a bill of its own. Each is open until it is cancelled or ended; its last request then fails. */
export interface GoogleBatchDouble {
  readonly url: string;
  readonly batches: number;
  /** nano-USD of all results so far. */
  readonly bill: number;
  /** Ends all batches. */
  end(): void;
  close(): Promise<void>;
}

export async function startGoogleBatchDouble(): Promise<GoogleBatchDouble> {
  const batches: { readonly requests: number; state: string }[] = [];
  let bill = 0;

  function describe(at: number): object {
    const { requests, state } = batches[at] ?? { requests: 0, state: 'PENDING' };
    const name = `batches/b${at}`;
    const answered = state === 'SUCCEEDED' ? requests - 1 : 0;
    const batchStats = { requestCount: `${requests}`, ...(answered > 0 && { successfulRequestCount: `${answered}` }) };
    const metadata = { name, state: `BATCH_STATE_${state}`, model: 'models/gemini-2.5-flash', batchStats };
    if (state !== 'SUCCEEDED') return { name, metadata };
    const usageMetadata = {
      promptTokenCount: INPUT,
      candidatesTokenCount: OUTPUT,
      totalTokenCount: INPUT + OUTPUT,
    };
    const response = { candidates: [{ finishReason: 'STOP' }], usageMetadata, modelVersion: 'gemini-2.5-flash' };
    const results = [...Array.from({ length: answered }, () => ({ response })), { error: { code: 13 } }];
    const output = { inlinedResponses: { inlinedResponses: results } };
    return { name, metadata: { ...metadata, output }, done: true, response: output };
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of req) pieces.push(piece as Buffer);
    const [, id, cancels] = /\/batches\/b(\d+)(:cancel)?$/.exec(req.url ?? '') ?? [];
    if (req.url?.includes(':batchGenerateContent')) {
      const { batch } = JSON.parse(Buffer.concat(pieces).toString()) as AskedBatch;
      batches.push({ requests: batch.inputConfig.requests.requests.length, state: 'PENDING' });
      return sendJson(res, describe(batches.length - 1));
    }
    if (id === undefined) return sendJson(res, {});
    const batch = batches[Number(id)];
    if (cancels && batch) batch.state = 'CANCELLED';
    sendJson(res, cancels ? {} : describe(Number(id)));
  }

  const server = createServer((req, res) => void serve(req, res));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get batches() {
      return batches.length;
    },
    get bill() {
      return bill;
    },
    end() {
      for (const batch of batches) {
        if (batch.state !== 'PENDING') continue;
        batch.state = 'SUCCEEDED';
        bill += (batch.requests - 1) * (INPUT * INPUT_NANO + OUTPUT * OUTPUT_NANO);
      }
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
