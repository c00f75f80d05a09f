import { TollbookError } from '../../src/domain/errors.ts';
import { OPEN_POLICY } from '../../src/domain/policy/policy.ts';
import type { RateCard, TokenRates } from '../../src/domain/pricing/price.ts';
import { BatchBounds, type BatchSubject } from '../../src/gateway/proxy/batch-bounds.ts';
import { readBody } from '../../src/providers/contract/read-body.ts';
import { buildProviders } from '../../src/providers/providers.ts';
import type { BatchRequest, BatchRoute } from '../../src/providers/provider.ts';
import { Dice } from '../simulation/dice.ts';
import { boundsOfModel, dearestBill, hold } from './check-form.ts';
import { drawForm } from './play-forms.ts';
import { type Scene, SCENES } from './scene.ts';

const LINES_MAX = 12;
/** Paths that create a batch, for a model or for all. */
const BATCHES: Readonly<Record<string, (model: string) => string>> = {
  anthropic: () => '/v1/messages/batches',
  openai: () => '/v1/batches',
  google: (model) => `/v1beta/models/${model}:batchGenerateContent`,
};
const BATCH_SCENES = SCENES.filter(({ address }) => Object.hasOwn(BATCHES, address.split('/')[0] ?? ''));
const providers = buildProviders({ urls: {}, custom: [] });

/** A batch whose bill may be above its hold, or that was refused although each of its requests alone is not. */
export interface BatchHole {
  readonly seed: number;
  readonly scene: Scene;
  readonly held: number | string;
  readonly bill: number;
  readonly body: string;
}

export interface PlayedBatches {
  readonly batches: number;
  readonly lines: number;
  readonly holes: readonly BatchHole[];
}

/** Draws batches of requests in any form, and compares the sum of their bounds with the highest bill at the price of batches. */
export function playBatches(seed: number, batches: number, holesMax = 10): PlayedBatches {
  const holes: BatchHole[] = [];
  let lines = 0;
  for (let played = 0; played < batches && holes.length < holesMax; played++) {
    const dice = new Dice(seed + played);
    const scene = dice.pick(BATCH_SCENES) ?? BATCH_SCENES[0]!;
    const bodies = drawBodies(dice, scene);
    const held = holdBatch(scene, bodies);
    const bill = bodies.reduce((sum, each) => sum + dearestBill(scene, each, atHalf), 0);
    lines += bodies.length;
    // The bill is a floating-point figure.
    if (typeof held === 'string' || bill * (1 - 1e-9) > held)
      holes.push({ seed: seed + played, scene, held, bill, body: bodies.join('\n') });
  }
  return { batches, lines, holes };
}

/** Draws requests that the gateway takes alone, and that end with their answer. */
function drawBodies(dice: Dice, scene: Scene): string[] {
  const bodies: string[] = [];
  for (let left = dice.whole(1, LINES_MAX); left > 0; left--) {
    const { body } = drawForm(dice, scene);
    if (hold(scene, body).kind === 'held' && mayBeBatched(scene, body)) bodies.push(body);
  }
  return bodies.length > 0 ? bodies : drawBodies(dice, scene);
}

/** A request of a batch ends with its answer, which is no stream. One of Anthropic's has a maximum, and one of OpenAI's none that is wrong. */
function mayBeBatched({ address }: Scene, body: string): boolean {
  const { runsOn, stream, demand } = readBody(address, body);
  if (runsOn || stream) return false;
  if (demand.outputMax !== null) return true;
  return address.startsWith('openai/') ? hasNoMaximum(body) : !address.startsWith('anthropic/');
}

function hasNoMaximum(body: string): boolean {
  const said = JSON.parse(body) as Readonly<Record<string, unknown>>;
  return ['max_tokens', 'max_completion_tokens', 'max_output_tokens'].every((name) => {
    const value = said[name] ?? null;
    return value === null || (Number.isSafeInteger(value) && Number(value) > 0);
  });
}

/** Returns the hold of a batch in nano-USD, or why it is refused. */
function holdBatch(scene: Scene, bodies: readonly string[]): number | string {
  const [id = '', ...rest] = scene.address.split('/');
  const provider = providers.get(id);
  const route = provider?.route('POST', BATCHES[id]?.(scene.model) ?? '');
  if (!provider || route?.kind !== 'batch') return 'it has no batches';
  const key = { name: 'a', policy: OPEN_POLICY } as BatchSubject['key'];
  const subject = { key, provider, tagReading: { tags: {}, warnings: [] } };
  const sum = new BatchBounds(subject, (model) => boundsOfModel(scene, model));
  try {
    for (const line of readRequests(route, `/${rest.join('/')}`, bodies)) if (line) sum.add(line);
    const { bounds } = sum.facts(route);
    return bounds?.unbounded ?? bounds?.hold.usd ?? 'no price';
  } catch (error) {
    if (error instanceof TollbookError) return error.message;
    throw error;
  }
}

/** Writes the batch as its provider wants it, in the body or as lines of a file, and reads it. */
function* readRequests(
  route: BatchRoute,
  endpoint: string,
  bodies: readonly string[],
): Generator<BatchRequest | undefined> {
  const encoder = new TextEncoder();
  if (!('readFile' in route)) {
    const isGoogle = endpoint.includes('generateContent');
    const lines = bodies.map((body, at) =>
      isGoogle ? `{"request":${body}}` : `{"custom_id":"${at}","params":${body}}`,
    );
    const list = `{"requests":[${lines.join()}]}`;
    yield* route.readLines(encoder.encode(isGoogle ? `{"batch":{"input_config":{"requests":${list}}}}` : list));
    return;
  }
  const batch = { input_file_id: 'file-1', endpoint, completion_window: '24h' };
  const file = route.readFile(encoder.encode(JSON.stringify(batch)));
  for (const [at, body] of bodies.entries())
    yield yield* file.readLine(
      encoder.encode(`{"custom_id":"${at}","method":"POST","url":"${endpoint}","body":${body}}`),
    );
}

/**
 * Anthropic docs, "Batch processing", and OpenAI docs, "Pricing": half the price of each token. Fees stay. Gemini API docs,
 * "Batch API": cached tokens cost as much as outside of batches.
 */
function atHalf(card: RateCard): RateCard {
  const isWhole = (name: string): boolean => card.provider === 'google' && name.startsWith('cacheRead');
  const halve = (rates: TokenRates): TokenRates =>
    Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, isWhole(name) ? rate : rate / 2]));
  const speeds = Object.fromEntries(Object.entries(card.speeds).map(([name, rates]) => [name, halve(rates)]));
  const tiers = card.tiers.map(({ above, rates }) => ({ above, rates: halve(rates) }));
  return { ...card, tiers, speeds, tierMultipliers: {} };
}

export function describeBatch({ seed, scene, held, bill, body }: BatchHole): string {
  return `seed ${seed}: ${scene.model}: held ${held}, bill ${bill} nano-USD\n  ${body.slice(0, 2_000)}`;
}
