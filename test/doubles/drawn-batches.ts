import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dice } from '../simulation/dice.ts';

/** A batch that has ended with random results, as its provider answers questions about it, and as it bills it. */
export interface DrawnBatch {
  readonly provider: keyof typeof PROVIDERS;
  readonly model: string;
  readonly id: string;
  readonly lines: readonly DrawnLine[];
  /** Answers by path. */
  readonly answers: ReadonlyMap<string, string>;
}

interface DrawnLine {
  /** As the results have it. */
  readonly text: string;
  /** nano-USD. */
  readonly bill: number;
  /** The provider bills it, and its result does not say how much. */
  readonly isHidden: boolean;
  readonly isBilled: boolean;
}

type DrawLine = (dice: Dice, model: string, at: number) => Partial<DrawnLine> & { readonly result: object };

interface DrawnProvider {
  readonly models: readonly string[];
  readonly drawLine: DrawLine;
  /** False = the results are in one document, which is read whole or not at all. */
  readonly hasLines: boolean;
  answers(id: string, lines: readonly DrawnLine[], state: string): (readonly [string, string])[];
}

const PICO_PER_NANO = 1_000;
const SEARCH_PICO = 10_000_000_000;
const GROUNDED_PICO = 35_000_000_000;

/** Rounds pico-USD half up. */
function toNano(pico: number): number {
  return Math.floor((pico + PICO_PER_NANO / 2) / PICO_PER_NANO);
}

/** Half the price of each token, plus fees. Rates are pico-USD per token. */
function billHalf(counts: readonly (readonly [tokens: number, rate: number])[], fees = 0): number {
  return toNano(counts.reduce((sum, [tokens, rate]) => sum + tokens * rate, 0) / 2 + fees);
}

/** Anthropic docs, "Pricing": input, 5 minute write, 1 hour write, read, output; and what it multiplies in the US. */
const CLAUDE: Readonly<Record<string, readonly [number, number, number, number, number, number]>> = {
  'claude-haiku-4-5': [1_000_000, 1_250_000, 2_000_000, 100_000, 5_000_000, 1],
  'claude-opus-4-6': [5_000_000, 6_250_000, 10_000_000, 500_000, 25_000_000, 1.1],
};

const drawMessage: DrawLine = (dice, model, at) => {
  const custom_id = `line-${at}`;
  if (dice.chance(0.25)) {
    const type = dice.pick(['errored', 'canceled', 'expired']);
    return { result: { custom_id, result: { type } } };
  }
  const [input, write, read, output] = [0, 1, 2, 3].map(() => (dice.chance(0.3) ? 0 : dice.whole(0, 9_999)));
  const hour = dice.whole(0, write ?? 0);
  const searches = dice.chance(0.1) ? dice.whole(1, 3) : 0;
  const [inRate, minutesRate, hourRate, readRate, outRate, us] = CLAUDE[model]!;
  const geo = us === 1 ? 'not_available' : dice.pick(['us', 'global']);
  const usage = {
    input_tokens: input,
    cache_creation_input_tokens: write,
    cache_creation: { ephemeral_5m_input_tokens: write! - hour, ephemeral_1h_input_tokens: hour },
    cache_read_input_tokens: read,
    output_tokens: output,
    service_tier: 'batch',
    inference_geo: geo,
    ...(searches > 0 && { server_tool_use: { web_search_requests: searches } }),
  };
  const [num, den] = geo === 'us' ? [11, 10] : [1, 1];
  const tokens =
    input! * inRate + (write! - hour) * minutesRate + hour * hourRate + read! * readRate + output! * outRate;
  const bill = toNano((tokens * num) / (2 * den) + searches * SEARCH_PICO);
  const isHidden = dice.chance(0.02);
  const message = { type: 'message', role: 'assistant', model, content: [], ...(!isHidden && { usage }) };
  return { result: { custom_id, result: { type: 'succeeded', message } }, bill, isHidden, isBilled: true };
};

/** OpenAI docs, "Pricing": input, cached input, output; longer prompts than 272,000 tokens. */
const GPT: Readonly<Record<string, { readonly short: Rates; readonly long: Rates }>> = {
  'gpt-5.4': { short: [2_500_000, 250_000, 15_000_000], long: [5_000_000, 500_000, 22_500_000] },
  'gpt-4.1-nano': { short: [100_000, 25_000, 400_000], long: [100_000, 25_000, 400_000] },
};
type Rates = readonly [number, number, number];
const LONG_GPT = 272_000;
const EMBEDDING = 'text-embedding-3-small';
const EMBEDDING_RATE = 20_000;

const drawAnswer: DrawLine = (dice, model, at) => {
  const custom_id = `${at}`;
  if (dice.chance(0.25)) return { result: { custom_id, ...drawRefusal(dice) } };
  const answer = model === EMBEDDING ? drawEmbedding(dice) : drawGpt(dice, model);
  const response = { status_code: 200, request_id: 'req_1', body: { model, ...answer.body } };
  return { result: { custom_id, response, error: null }, bill: answer.bill, isHidden: answer.isHidden, isBilled: true };
};

function drawRefusal(dice: Dice): object {
  const status = dice.pick([400, 429, 500]);
  if (dice.chance(0.5)) return { response: { status_code: status, body: { error: { code: 'x' } } }, error: null };
  return { response: null, error: { code: dice.pick(['batch_expired', 'batch_cancelled', 'server_error']) } };
}

interface DrawnAnswer {
  readonly body: object;
  readonly bill: number;
  readonly isHidden: boolean;
}

function drawEmbedding(dice: Dice): DrawnAnswer {
  const tokens = dice.whole(0, 8_191);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return { body: { object: 'list', data: [], usage }, bill: billHalf([[tokens, EMBEDDING_RATE]]), isHidden: false };
}

function drawGpt(dice: Dice, model: string): DrawnAnswer {
  const prompt = dice.chance(0.1) ? dice.whole(LONG_GPT - 1, LONG_GPT + 1) : dice.whole(0, 200_000);
  const cached = dice.chance(0.5) ? 0 : dice.whole(0, prompt);
  const output = dice.whole(0, 9_999);
  const thinking = dice.whole(0, output);
  const [inRate, cachedRate, outRate] = GPT[model]![prompt > LONG_GPT ? 'long' : 'short'];
  const counts = [
    [prompt - cached, inRate],
    [cached, cachedRate],
    [output, outRate],
  ] as const;
  const isHidden = dice.chance(0.02);
  // Parts above the whole, or a total above its parts, say nothing.
  const wrong = isHidden && dice.chance(0.5) ? prompt + 1 : cached;
  const total = prompt + output + (isHidden ? thinking + 1 : 0);
  if (dice.chance(0.5)) {
    const usage = {
      prompt_tokens: prompt,
      prompt_tokens_details: { cached_tokens: wrong },
      completion_tokens: output,
      completion_tokens_details: { reasoning_tokens: thinking },
      total_tokens: total,
    };
    return { body: { object: 'chat.completion', choices: [], usage }, bill: billHalf(counts), isHidden };
  }
  const searches = prompt < LONG_GPT / 2 && dice.chance(0.2) ? dice.whole(1, 3) : 0;
  const usage = {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: wrong },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: thinking },
    total_tokens: total,
  };
  const search = { type: 'web_search_call', status: 'completed', action: { type: 'search' } };
  const tools = searches > 0 ? [{ type: 'web_search' }] : [];
  const list = Array.from({ length: searches }, () => search);
  const body = { object: 'response', status: 'completed', tools, output: list, usage };
  return { body, bill: billHalf(counts, searches * SEARCH_PICO), isHidden };
}

/** Gemini API docs, "Pricing": input, sound, cached input, cached sound, output; longer prompts than 200,000 tokens. */
const GEMINI: Readonly<Record<string, { readonly short: SoundRates; readonly long: SoundRates }>> = {
  'gemini-2.5-pro': {
    short: [1_250_000, 1_250_000, 125_000, 125_000, 10_000_000],
    long: [2_500_000, 2_500_000, 250_000, 250_000, 15_000_000],
  },
  'gemini-2.5-flash': {
    short: [300_000, 1_000_000, 30_000, 100_000, 2_500_000],
    long: [300_000, 1_000_000, 30_000, 100_000, 2_500_000],
  },
};
type SoundRates = readonly [number, number, number, number, number];
const LONG_GEMINI = 200_000;

const drawGenerated: DrawLine = (dice, model) => {
  if (dice.chance(0.25)) return { result: { error: { code: dice.pick([3, 8, 13]), message: 'x' } } };
  const prompt = dice.chance(0.1) ? dice.whole(LONG_GEMINI - 1, LONG_GEMINI + 1) : dice.whole(1, 100_000);
  const cached = dice.chance(0.5) ? 0 : dice.whole(0, prompt);
  const [sound, cachedSound] = dice.chance(0.7) ? [0, 0] : [dice.whole(0, prompt - cached), dice.whole(0, cached)];
  const [tools, output, thinking] = [dice.chance(0.8) ? 0 : dice.whole(0, 999), dice.whole(0, 999), dice.whole(0, 999)];
  const rates = GEMINI[model]![prompt > LONG_GEMINI ? 'long' : 'short'];
  const isGrounded = dice.chance(0.1);
  const isHidden = dice.chance(0.02);
  const usageMetadata = {
    promptTokenCount: prompt,
    totalTokenCount: prompt + tools + output + thinking + (isHidden ? 1 : 0),
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    ...(output > 0 && { candidatesTokenCount: output }),
    ...(thinking > 0 && { thoughtsTokenCount: thinking }),
    ...(tools > 0 && { toolUsePromptTokenCount: tools }),
    promptTokensDetails: [{ modality: 'AUDIO', tokenCount: sound + cachedSound }],
    cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: cachedSound }],
  };
  const groundingMetadata = { webSearchQueries: ['a', 'b'] };
  const candidates = [{ finishReason: 'STOP', ...(isGrounded && { groundingMetadata }) }];
  // Gemini API docs, "Batch API": a cached token costs as much as outside of batches.
  const whole = cachedSound * rates[3] + (cached - cachedSound) * rates[2];
  const half = (prompt - cached - sound + tools) * rates[0] + sound * rates[1] + (output + thinking) * rates[4];
  const bill = toNano(half / 2 + whole + (isGrounded ? GROUNDED_PICO : 0));
  return { result: { response: { candidates, usageMetadata, modelVersion: model } }, bill, isHidden, isBilled: true };
};

const count = (lines: readonly DrawnLine[]): number => lines.filter(({ isBilled }) => isBilled).length;
const join = (lines: readonly DrawnLine[]): string => lines.map(({ text }) => `${text}\n`).join('');

const PROVIDERS = {
  anthropic: {
    models: Object.keys(CLAUDE),
    drawLine: drawMessage,
    hasLines: true,
    answers: (id, lines) => [
      [
        `/v1/messages/batches/${id}`,
        JSON.stringify({ id, processing_status: 'ended', request_counts: { succeeded: count(lines) } }),
      ],
      [`/v1/messages/batches/${id}/results`, join(lines)],
    ],
  },
  openai: {
    models: [...Object.keys(GPT), EMBEDDING],
    drawLine: drawAnswer,
    hasLines: true,
    answers: (id, lines, status) => {
      const counts = { total: lines.length, completed: count(lines), failed: lines.length - count(lines) };
      const files = { output_file_id: `file-out-${id}`, error_file_id: `file-error-${id}` };
      return [
        [`/v1/batches/${id}`, JSON.stringify({ id, status, ...files, request_counts: counts })],
        [`/v1/files/file-out-${id}/content`, join(lines.filter(({ isBilled }) => isBilled))],
        [`/v1/files/file-error-${id}/content`, join(lines.filter(({ isBilled }) => !isBilled))],
      ];
    },
  },
  google: {
    models: Object.keys(GEMINI),
    drawLine: drawGenerated,
    hasLines: false,
    answers: (id, lines, status) => {
      const billed = count(lines);
      const state = `BATCH_STATE_${status === 'completed' ? 'SUCCEEDED' : status.toUpperCase()}`;
      const batchStats = {
        requestCount: `${lines.length}`,
        ...(billed > 0 && { successfulRequestCount: `${billed}` }),
      };
      const results = `{"inlinedResponses":{"inlinedResponses":[${lines.map(({ text }) => text).join()}]}}`;
      const metadata = JSON.stringify({ state, batchStats });
      return [[`/v1beta/${id}`, `{"name":"${id}","metadata":${metadata},"done":true,"response":${results}}`]];
    },
  },
} as const satisfies Readonly<Record<string, DrawnProvider>>;

/** Draws a batch of one provider, and its bill. */
export function drawBatch(dice: Dice, number: number): DrawnBatch {
  const provider = dice.pick(['anthropic', 'openai', 'google'] as const);
  const { models, drawLine, hasLines, answers }: DrawnProvider = PROVIDERS[provider];
  const model = dice.pick(models)!;
  const id = `${provider === 'google' ? 'batches/' : 'batch_'}${number}`;
  const lines = Array.from({ length: dice.whole(1, 30) }, (_, at): DrawnLine => {
    const { result, bill = 0, isHidden = false, isBilled = false } = drawLine(dice, model, at);
    const text = JSON.stringify(result);
    const isBroken = hasLines && isBilled && dice.chance(0.01);
    return { text: isBroken ? text.slice(1) : text, bill, isBilled, isHidden: isHidden || isBroken };
  });
  const status = dice.pick(['completed', 'expired', 'cancelled', 'failed'] as const);
  return { provider, model, id, lines, answers: new Map(answers(id, lines, status)) };
}

/** Answers questions about batches. */
export async function startBatchServer(): Promise<{
  readonly url: string;
  readonly answers: Map<string, string>;
  close(): Promise<void>;
}> {
  const answers = new Map<string, string>();
  const server = createServer((req, res) => {
    const answer = answers.get(req.url ?? '');
    res.writeHead(answer === undefined ? 404 : 200).end(answer);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
