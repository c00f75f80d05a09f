import { NO_CONTEXT } from '../src/domain/usage/call-context.ts';
import type { Entry } from '../src/domain/usage/call.ts';
import { HOUR_MS } from '../src/domain/time/units.ts';
import type { EntryBatch } from '../src/storage/entry-store.ts';

export const DAYS = 90;
export const BATCH_ENTRIES = 500;
export const WORKSPACE = 'ws_default';
const PROVIDERS = ['anthropic', 'google', 'openai', 'mistral', 'groq'];

/** Repeatable, uniform: the worst case for roll-ups, since every combination occurs. */
let seed = 42;
export function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

/** A key stands for one provider, and asks for any of its ten models. */
function entryAt(index: number, startedAt: number): Entry {
  const key = random(200);
  const provider = PROVIDERS[key % PROVIDERS.length] ?? '';
  const model = `${provider}-model-${random(10)}-20260101`;
  const [input, cacheRead, output] = [random(4_000), random(3_000), random(900)];
  const cost = input * 3_000 + cacheRead * 300 + output * 15_000;
  const hasFailed = random(50) === 0;
  const amounts = { usd: cost, inputTokens: input + cacheRead, outputTokens: output };
  return {
    callId: `call_${startedAt.toString(36)}${index.toString(36).padStart(6, '0')}`,
    workspaceId: WORKSPACE,
    keyId: `key_01jb2m3n4p5q6r7s${key}`,
    provider,
    operation: 'messages',
    requestedModel: model,
    stream: random(2) === 0,
    tags: { team: `team-${random(10)}`, env: `env-${random(10)}`, feature: `feature-${random(10)}` },
    sessionHash: null,
    context: NO_CONTEXT,
    shortenedTo: null,
    startedAt,
    hold: { ...amounts, outputTokens: 4_096 },
    touched: [],
    endedAt: startedAt + 1_200,
    outcome: hasFailed ? 'failed' : 'completed',
    uncertainReason: null,
    status: hasFailed ? 429 : 200,
    usageSource: hasFailed ? 'none' : 'reported',
    usage: hasFailed
      ? null
      : {
          inferences: [{ model: null, tokens: { input, cacheRead, output }, promptTokens: input + cacheRead }],
          uses: {},
          thinking: 0,
          terms: { tier: 'standard', speed: null, geo: 'global' },
        },
    model,
    cost: hasFailed ? 0 : cost,
    counted: amounts,
    provenance: { from: 'price', versions: ['genai-prices-0.1.8-a1b2c3'] },
    requestId: `req_011C${random(2 ** 31).toString(36)}${index}`,
    responseId: `msg_01${random(2 ** 31).toString(36)}${index}`,
    firstByteMs: random(900),
    source: 'proxy',
  };
}

/** So many entries of the 90 days from `first` on, as they are appended. */
export function* bigBook(count: number, first: number): Generator<EntryBatch> {
  for (let from = 0; from < count; from += BATCH_ENTRIES) {
    const size = Math.min(BATCH_ENTRIES, count - from);
    const entries = Array.from({ length: size }, (_, offset) => {
      const index = from + offset;
      return entryAt(index, first + Math.floor((index / count) * DAYS * 24 * HOUR_MS));
    });
    yield { journalId: 'bench', mark: from + size, entries };
  }
}
