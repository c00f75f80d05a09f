import type { ProviderName } from '../../src/demo/answers/answer.ts';
import { LIST_PRICES } from '../doubles/list-prices.ts';
import type { Plan } from '../doubles/plan.ts';
import { Dice } from './dice.ts';
import { type DrawnAsk, drawPlan } from './drawn-plan.ts';

type KeyPlace = 'bearer' | 'x-api-key' | 'x-goog-api-key' | 'query';

/** A call as a client makes it, and what the double is told to do with it. The same seed and number give the same call. */
export interface DrawnCall {
  readonly number: number;
  /** Unique; the entry carries its hash. */
  readonly session: string;
  readonly provider: ProviderName;
  /** Below `/api/proxy/{provider}`. */
  readonly path: string;
  readonly keyPlace: KeyPlace;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly plan: Plan;
  /** The client goes away after so many turns of its event loop, or bytes of the answer; null = it stays. */
  readonly leaves: { readonly turns: number } | { readonly bytes: number } | null;
}

const LEAVING_SHARE = 0.08;
/** A model that nobody has a price for. */
const UNLISTED = 'nova-9';
const TURNS_MAX = 60;
const BYTES_MAX = 1_500;

export function drawCall(seed: number, number: number): DrawnCall {
  const dice = new Dice(seed, number);
  const ask = drawAsk(dice);
  const plan = drawPlan(dice, ask);
  const session = `call-${seed}-${number}`;
  const { path, body, keyPlace } = REQUESTS[ask.operation](dice, ask);
  return {
    number,
    session,
    provider: ask.provider,
    path,
    keyPlace,
    headers: {
      'content-type': 'application/json',
      'x-claude-code-session-id': session,
      'x-svc-tags': `team=t${dice.upTo(5)},env=${dice.pick(['dev', 'prod'])}`,
      'x-double': asciiJson(plan),
      ...(plan.encoding ? { 'accept-encoding': 'gzip, deflate, br, zstd' } : {}),
    },
    body: JSON.stringify(body),
    plan,
    leaves: drawLeaving(dice, plan),
  };
}

function drawAsk(dice: Dice): DrawnAsk {
  const provider = dice.pick(['anthropic', 'anthropic', 'google', 'openai', 'openai']);
  const operation = dice.pick(OPERATIONS[provider]);
  const embeds = operation === 'embeddings';
  const listed = LIST_PRICES[provider].flatMap(({ models }) => models);
  const fitting = listed.filter((name) => name.startsWith('text-embedding') === embeds);
  const model = dice.pick([UNLISTED, ...fitting, ...fitting, ...fitting]);
  return { provider, operation, model, stream: !embeds && dice.chance(0.5) };
}

const OPERATIONS: Record<ProviderName, readonly [DrawnAsk['operation'], ...DrawnAsk['operation'][]]> = {
  anthropic: ['messages'],
  google: ['generate'],
  openai: ['chat', 'chat', 'chat', 'responses', 'responses', 'responses', 'embeddings'],
};

/** Nearly all calls that are held back are left: it is then that leaving matters. */
function drawLeaving(dice: Dice, plan: Plan): DrawnCall['leaves'] {
  if (!dice.chance(plan.hold ? 0.8 : LEAVING_SHARE)) return null;
  return dice.chance(0.5) ? { turns: dice.upTo(TURNS_MAX) } : { bytes: dice.upTo(BYTES_MAX) };
}

interface DrawnRequest {
  readonly path: string;
  readonly body: object;
  readonly keyPlace: KeyPlace;
}

const REQUESTS: Record<DrawnAsk['operation'], (dice: Dice, ask: DrawnAsk) => DrawnRequest> = {
  messages: (dice, { model, stream }) => ({
    path: dice.pick(['', '/v1/messages', '/v1/messages?beta=true']),
    keyPlace: dice.pick(['bearer', 'x-api-key']),
    body: {
      model,
      max_tokens: 4_096,
      messages: [{ role: 'user', content: drawText(dice) }],
      ...(stream ? { stream } : {}),
      ...(dice.chance(0.2) ? { tools: [{ name: 'weather', input_schema: { type: 'object' } }] } : {}),
    },
  }),
  generate: (dice, { model, stream }) => {
    const contents = [{ role: 'user', parts: [{ text: drawText(dice) }] }];
    if (!stream && dice.chance(0.4)) {
      const name = dice.pick([model, `models/${model}`]);
      return { path: '', keyPlace: 'bearer', body: { model: name, contents } };
    }
    const method = stream ? 'streamGenerateContent' : 'generateContent';
    const query = stream ? dice.pick(['?alt=sse', '?alt=sse', '']) : '';
    const path = `/${dice.pick(['v1', 'v1beta'])}/models/${model}:${method}${query}`;
    return { path, keyPlace: dice.pick(['x-goog-api-key', 'query', 'bearer']), body: { contents } };
  },
  chat: (dice, { model, stream }) => ({
    path: `${dice.pick(['', '/v1'])}/chat/completions`,
    keyPlace: 'bearer',
    body: {
      model,
      messages: [{ role: 'user', content: drawText(dice) }],
      ...(stream ? { stream, ...dice.pick([{}, {}, INCLUDE_USAGE, { stream_options: {} }]) } : {}),
    },
  }),
  responses: (dice, { model, stream }) => ({
    path: `${dice.pick(['', '/v1'])}/responses`,
    keyPlace: 'bearer',
    body: { model, input: drawText(dice), ...(stream ? { stream } : {}) },
  }),
  embeddings: (dice, { model }) => ({
    path: `${dice.pick(['', '/v1'])}/embeddings`,
    keyPlace: 'bearer',
    body: { model, input: drawText(dice) },
  }),
};
const INCLUDE_USAGE = { stream_options: { include_usage: true } };

/** A header has room for no other letters. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Some of it looks like what gate and provider read. */
function drawText(dice: Dice): string {
  const word = dice.pick(['word ', '"model":"x" ', '{"usage":{"input_tokens":1}}\n', 'data: [DONE]\n\n', '日本 ']);
  return word.repeat(dice.upTo(40));
}
