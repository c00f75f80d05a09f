import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface AskedBatch {
  readonly requests: readonly { readonly custom_id: string; readonly params: { readonly model: string } }[];
}

interface DoubleBatch {
  readonly id: string;
  readonly asked: AskedBatch;
  readonly lines: number;
  isEnded: boolean;
  outcomes: readonly LineOutcome[];
}

/** Result of one request: its tokens, or why it was not billed. */
export type LineOutcome = BilledOutcome | 'errored' | 'canceled' | 'expired';

interface BilledOutcome {
  readonly input: number;
  readonly output: number;
  /** The result does not say its usage. */
  readonly hidden?: boolean;
  /** The result is no JSON. */
  readonly garbled?: boolean;
}

/** Anthropic's Message Batches, with a bill of its own: $0.50 and $2.50 per million tokens of claude-haiku-4-5. */
export interface BatchDouble {
  readonly url: string;
  readonly batches: readonly { readonly id: string; readonly lines: number; isEnded: boolean }[];
  /** nano-USD of all results so far. */
  readonly bill: number;
  /** Requests so far. */
  readonly requests: number;
  /** Headers of the last request. */
  readonly headers: IncomingMessage['headers'];
  /** Answers questions about batches with this status from now on; null = as usual. */
  answerWith(status: number | null): void;
  /** Sends only so many results from now on; null = all. */
  cutResultsTo(lines: number | null): void;
  /** Leaves out from now on how many requests of a batch succeeded. */
  leaveOutCounts(): void;
  /** Says whether batches from now on are answered. */
  setAnswering(isAnswering: boolean): void;
  /** Ends a batch with these outcomes, the last one for the rest. */
  end(id: string, ...outcomes: LineOutcome[]): void;
  close(): Promise<void>;
}

const INPUT_NANO = 500;
const OUTPUT_NANO = 2_500;

export async function startBatchDouble(): Promise<BatchDouble> {
  const batches: DoubleBatch[] = [];
  let bill = 0;
  let requests = 0;
  let isAnswering = true;
  let isCounting = true;
  let resultsMax: number | null = null;
  let status: number | null = null;
  let headers: IncomingMessage['headers'] = {};
  const server = createServer((req, res) => void serve(req, res));

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    requests += 1;
    headers = req.headers;
    const pieces: Buffer[] = [];
    for await (const piece of req) pieces.push(piece as Buffer);
    const [, id, part] = /^\/v1\/messages\/batches(?:\/(\w+))?(\/\w+)?$/.exec(req.url ?? '') ?? [];
    if (req.url?.startsWith('/v1/models')) return void res.end('{"data":[]}');
    if (req.method === 'POST' && id === undefined) {
      const asked = JSON.parse(Buffer.concat(pieces).toString()) as AskedBatch;
      const name = `msgbatch_${batches.length + 1}`;
      const made = { id: name, asked, lines: asked.requests.length, isEnded: false, outcomes: [] };
      batches.push(made);
      if (!isAnswering) return;
      return sendJson(res, describe(made));
    }
    const batch = batches.find((each) => each.id === id);
    if (!batch || status !== null) return void res.writeHead(status ?? 404).end();
    if (part === '/cancel') endBatch(batch, [{ input: 10, output: 20 }, 'canceled']);
    if (part !== '/results') return sendJson(res, { ...describe(batch), ...(!isCounting && { request_counts: null }) });
    res.writeHead(200, { 'content-type': 'application/x-jsonl' });
    const sent = batch.asked.requests.slice(0, resultsMax ?? undefined);
    res.end(
      sent.map((_, at) => `${JSON.stringify(resultOf(batch, at)).slice(isGarbled(batch, at) ? 20 : 0)}\n`).join(''),
    );
  }

  function endBatch(batch: DoubleBatch, outcomes: readonly LineOutcome[]): void {
    batch.isEnded = true;
    batch.outcomes = outcomes;
    for (let at = 0; at < batch.lines; at++) {
      const outcome = outcomeOf(outcomes, at);
      if (typeof outcome === 'object') bill += outcome.input * INPUT_NANO + outcome.output * OUTPUT_NANO;
    }
  }

  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    batches,
    get bill() {
      return bill;
    },
    get requests() {
      return requests;
    },
    get headers() {
      return headers;
    },
    answerWith(given) {
      status = given;
    },
    leaveOutCounts() {
      isCounting = false;
    },
    setAnswering(given) {
      isAnswering = given;
    },
    cutResultsTo(lines) {
      resultsMax = lines;
    },
    end(id, ...outcomes) {
      const batch = batches.find((each) => each.id === id);
      if (!batch) throw new Error(`There is no batch ${id}.`);
      endBatch(batch, outcomes);
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

function describe({ id, isEnded, lines, outcomes }: DoubleBatch): object {
  const counts: Record<string, number> = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  const add = (name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);
  for (let at = 0; at < lines; at++) {
    const outcome = isEnded ? outcomeOf(outcomes, at) : 'processing';
    add(typeof outcome === 'string' ? outcome : 'succeeded');
  }
  return {
    id,
    type: 'message_batch',
    processing_status: isEnded ? 'ended' : 'in_progress',
    request_counts: counts,
    results_url: isEnded ? `https://api.anthropic.com/v1/messages/batches/${id}/results` : null,
  };
}

function outcomeOf(outcomes: readonly LineOutcome[], at: number): LineOutcome {
  return outcomes[Math.min(at, outcomes.length - 1)] ?? 'expired';
}

function isGarbled({ outcomes }: Pick<DoubleBatch, 'outcomes'>, at: number): boolean {
  const outcome = outcomeOf(outcomes, at);
  return typeof outcome === 'object' && outcome.garbled === true;
}

function resultOf(
  { asked, outcomes }: { readonly asked: AskedBatch; readonly outcomes: readonly LineOutcome[] },
  at: number,
): object {
  const { custom_id, params } = asked.requests[at] ?? { custom_id: '', params: { model: '' } };
  const outcome = outcomeOf(outcomes, at);
  if (typeof outcome === 'string') return { custom_id, result: { type: outcome } };
  const told = { input_tokens: outcome.input, output_tokens: outcome.output, service_tier: 'batch' };
  const message = {
    id: `msg_${at}`,
    type: 'message',
    role: 'assistant',
    model: params.model,
    content: [],
    stop_reason: 'end_turn',
    ...(!outcome.hidden && { usage: told }),
  };
  return { custom_id, result: { type: 'succeeded', message } };
}
