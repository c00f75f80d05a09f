import type { ProviderName } from '../../src/demo/answers/answer.ts';
import { priceOf } from '../doubles/bill.ts';
import type { ListPrice } from '../doubles/list-prices.ts';
import type { Plan, PlanPass, PlanTokens } from '../doubles/plan.ts';
import type { Dice } from './dice.ts';

/** What a call asks for, before there is a request. */
export interface DrawnAsk {
  readonly provider: ProviderName;
  readonly operation: 'messages' | 'generate' | 'chat' | 'responses' | 'embeddings';
  readonly model: string;
  readonly stream: boolean;
}

/** What the double does: usage of every class, and now and then something that goes wrong. */
export function drawPlan(dice: Dice, ask: DrawnAsk): Plan {
  const model = dice.chance(0.03) && ask.provider === 'anthropic' ? 'claude-sonnet-5' : ask.model;
  const price = priceOf(ask.provider, model);
  const tokens = drawTokens(dice, ask.provider, price);
  return {
    model,
    tokens,
    ...drawTerms(dice, ask.provider, price, tokens),
    ...(dice.chance(0.1) ? { searches: dice.upTo(3) } : {}),
    ...(ask.provider === 'anthropic' && dice.chance(0.08) ? { passes: drawPasses(dice) } : {}),
    pieces: Array.from({ length: PIECES_MIN + dice.upTo(4) }, () => dice.pick(TEXTS).repeat(dice.upTo(20))),
    ...(dice.chance(0.1) ? { tool: { name: 'weather', input: { city: dice.pick(TEXTS) } } } : {}),
    ...drawManner(dice),
    ...(dice.chance(0.14) ? drawFault(dice, ask) : {}),
  };
}

/** So many that a stream can break off in the middle. */
const PIECES_MIN = 3;

/** Some of it looks like what the gate reads. */
const TEXTS = [
  'Hello, world. ',
  'data: [DONE]\n\n',
  '{"usage":{"output_tokens":9}}',
  '"}\\',
  '日本語 🙂',
  '\n\n',
] as const;

function drawTokens(dice: Dice, provider: ProviderName, price: ListPrice | undefined): Partial<PlanTokens> {
  const output = dice.upTo(400);
  const some = (share: number, most: number) => (dice.chance(share) ? dice.upTo(most) : 0);
  if (dice.chance(price?.long ? 0.25 : 0.02)) return { input: drawLongPrompt(dice, provider, price), output };
  return {
    input: dice.upTo(5_000),
    inputAudio: provider === 'google' ? some(0.2, 500) : 0,
    cacheRead: some(0.3, 20_000),
    cacheWrite5m: provider === 'google' ? 0 : some(0.2, 9_000),
    cacheWrite1h: provider === 'anthropic' ? some(0.15, 9_000) : 0,
    output,
    thinking: dice.chance(0.2) ? dice.upTo(output) - 1 : 0,
  };
}

/** At the step of the length tiers, one token beyond it, and well on both sides. */
function drawLongPrompt(dice: Dice, provider: ProviderName, price: ListPrice | undefined): number {
  // OpenAI's page says both "< 272K" and "> 272K": nobody knows what exactly so many cost.
  const last = provider === 'openai' ? -1 : 0;
  return (price?.long?.above ?? 200_000) + dice.pick([last, 1, dice.upTo(90_000), -dice.upTo(90_000)]);
}

function drawTerms(
  dice: Dice,
  provider: ProviderName,
  price: ListPrice | undefined,
  { input = 0 }: Partial<PlanTokens>,
): Pick<Plan, 'tier' | 'speed' | 'geo'> {
  const [plain, ...others] = PLAIN_TIERS[provider];
  // No tier but the usual one serves long prompts.
  const tiers = input > (price?.long?.above ?? input) ? [] : Object.keys(price?.tiers ?? {});
  return {
    ...(dice.chance(0.3) ? { tier: dice.pick([plain, ...others, ...tiers]) } : {}),
    ...(price?.fast && dice.chance(0.3) ? { speed: 'fast' } : {}),
    ...(price?.geos && dice.chance(0.3) ? { geo: dice.pick(['us', 'global']) } : {}),
  };
}

/** Words for a tier that costs the usual price. */
const PLAIN_TIERS: Record<ProviderName, readonly [string, ...string[]]> = {
  anthropic: ['standard', 'priority'],
  google: ['standard'],
  openai: ['default'],
};

function drawPasses(dice: Dice): PlanPass[] {
  const advisor: PlanPass = { type: 'advisor_message', model: 'claude-opus-5', input: dice.upTo(4_000), output: 50 };
  const compaction: PlanPass = { type: 'compaction', model: null, input: dice.upTo(250_000), output: 40 };
  return dice.pick([[advisor], [compaction], [advisor, compaction]]);
}

/** Ways to answer that change nothing. */
function drawManner(dice: Dice): Plan {
  if (dice.chance(0.03)) return { hold: dice.pick(['headers', 'writes']) };
  if (dice.chance(0.12)) return { encoding: dice.pick(['gzip', 'deflate', 'br', 'zstd']), splitBytes: dice.upTo(300) };
  return dice.chance(0.12) ? { splitBytes: dice.upTo(60) } : {};
}

const STATUSES = [400, 401, 403, 404, 413, 418, 429, 500, 502, 503, 504, 529] as const;

/** Half of what goes wrong is an error status. */
function drawFault(dice: Dice, { stream }: DrawnAsk): Plan {
  const midway: Plan = stream
    ? dice.pick<Plan>([{ errorAfter: dice.upTo(3) }, { endAfter: dice.upTo(2) }, { reset: 'in_body' }])
    : dice.pick<Plan>([{ truncateBytes: 60 }, { reset: 'in_body', splitBytes: 40 }]);
  const status: Plan = { status: dice.pick(STATUSES), headers: { 'retry-after': '1' } };
  return dice.pick([
    status,
    status,
    status,
    midway,
    midway,
    dice.pick([{ noUsage: true }, { reset: 'before_headers' }]),
  ]);
}
