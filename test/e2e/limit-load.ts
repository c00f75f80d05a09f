import { setImmediate } from 'node:timers/promises';
import { Dice } from '../comparison/dice.ts';
import type { ProviderName } from '../../src/demo/answers/answer.ts';
import type { Plan } from '../doubles/plan.ts';
import type { Ask, Limited } from './limited.ts';

/** Faults in a load of calls. */
export interface LoadFaults {
  /** Share of the calls that the provider fails, one way or another. */
  readonly faults: number;
  /** Share of the clients that leave before their answer has ended. */
  readonly aborts: number;
}

export const NO_FAULTS: LoadFaults = { faults: 0, aborts: 0 };

/** A call costs two cents and holds little more, so a limit of 20 cents allows about ten. */
type Model = (typeof MODELS)[number];
const MODELS = [
  { provider: 'anthropic', model: 'claude-haiku-4-5', output: 4_000 },
  { provider: 'google', model: 'gemini-2.5-flash', output: 8_000 },
  { provider: 'openai', model: 'gpt-5-mini', output: 10_000 },
] as const satisfies readonly { provider: ProviderName; model: string; output: number }[];
const TURNS_MAX = 60;

/** Maximum number of retries of a call refused as `in_flight`. */
const WAVES_MAX = 5;

/**
 * Makes `count` calls at once, the same ones for the same seed; those refused as `in_flight` come again once all others
 * are through. Returns how many ended with which status, 0 = broken off.
 */
export async function load(limited: Limited, seed: number, count: number, problem: LoadFaults, tags: Ask['tags'] = {}) {
  const ended: Record<number, number> = {};
  let numbers = Array.from({ length: count }, (_, number) => number);
  for (let wave = 0; wave < WAVES_MAX && numbers.length > 0; wave++) {
    const statuses = await Promise.all(numbers.map((number) => makeCall(limited, seed, number, problem, tags)));
    for (const status of statuses) ended[status] = (ended[status] ?? 0) + 1;
    numbers = numbers.filter((_, at) => statuses[at] === IN_FLIGHT);
  }
  return ended;
}

const IN_FLIGHT = 429;

function makeCall(limited: Limited, seed: number, number: number, problem: LoadFaults, tags: Ask['tags'] = {}) {
  const dice = new Dice(seed, number);
  const ask = { ...drawAsk(dice, problem), tags };
  const leaving = dice.chance(problem.aborts) ? leaveAfter(dice.upTo(TURNS_MAX)) : null;
  return limited.call({ ...ask, ...(leaving && { signal: leaving }) }).then(
    ({ status }) => status,
    () => 0,
  );
}

function drawAsk(dice: Dice, { faults }: LoadFaults): Ask {
  const { provider, model, output } = dice.pick<Model>(MODELS);
  const stream = dice.chance(0.5);
  const prompt = 'word '.repeat(dice.upTo(50));
  const used = { input: dice.upTo(prompt.length), output: output - dice.upTo(output / 10) };
  const plan = { tokens: used, ...(dice.chance(faults) && drawFault(dice, provider, stream)) };
  return { provider, model, maxTokens: output, stream, prompt, plan };
}

function drawFault(dice: Dice, provider: ProviderName, stream: boolean): Plan {
  const status = dice.pick([400, 408, 500, provider === 'anthropic' ? 529 : 503]);
  const cut = stream ? dice.pick<Plan>([{ errorAfter: 2 }, { endAfter: 3 }]) : { truncateBytes: dice.upTo(100) };
  return dice.pick<Plan>([{ status }, { reset: 'before_headers' }, { reset: 'in_body' }, { noUsage: true }, cut]);
}

function leaveAfter(turns: number): AbortSignal {
  const leaving = new AbortController();
  const wait = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await setImmediate();
    leaving.abort();
  };
  void wait();
  return leaving.signal;
}
