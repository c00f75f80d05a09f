import { expect, test } from 'vitest';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import { NO_DEMAND } from '../../domain/limits/demand.ts';
import { OPEN_POLICY } from '../../domain/policy/policy.ts';
import { NOON, sampleLimit, sampleSubject } from '../../limits/contract/sample-limits.ts';
import type { AgentQuestion } from '../../limits/agent-tree.ts';
import { LimitsEngine } from '../../limits/limits.ts';
import type { Provider, RequestFacts, TokenCounter } from '../../providers/provider.ts';
import { AdmissionAttempt, type AdmittedCall } from './attempt.ts';
import type { CountCallback } from './count-tokens.ts';
import type { InferenceRequest } from './proxy-request.ts';

const CONTEXT = { session: 's', agent: 'child', parentAgent: null, run: null, requestClass: null };
const COUNTER: TokenCounter = { upstreamPath: '', requestOf: (body) => body, read: () => null };

/** A call of 1,500 bytes that asks for 1,000 tokens. Its prompt can be counted, and it may be shortened. */
class SampleAttempt {
  readonly engine: LimitsEngine;
  readonly questions: AgentQuestion[] = [];
  /** The admitted call, or why it is refused. */
  readonly decided: unknown[] = [];
  /** Answers the count of the prompt. */
  counted: CountCallback | null = null;
  readonly #attempt: AdmissionAttempt;

  constructor() {
    const observer = { crossed: () => {}, overran: () => {} };
    this.engine = new LimitsEngine({ ...observer, asksAgents: (question) => this.questions.push(question) });
    const facts = { ...FACTS, demand: { ...NO_DEMAND, textBytes: 1_500, outputMax: 1_000 } };
    const policy = { ...OPEN_POLICY, minOutputTokens: 200 };
    const key = { id: 'key_a', name: 'a key', workspaceId: 'ws_a', policy } as GatewayKey;
    const provider = { id: 'anthropic', name: 'Anthropic', priceProvider: 'anthropic' } as Provider;
    const deps = {
      engine: this.engine,
      now: () => NOON,
      uptime: () => 0,
      countTokens: (_request: unknown, _counter: unknown, counted: CountCallback) => {
        this.counted = counted;
        return () => {};
      },
      onWaiting: () => {},
    };
    const request = { key, provider, facts } as InferenceRequest;
    const models = [{ model: 'claude-opus-4-5', cards: [], outputMax: 4_000 }];
    this.#attempt = new AdmissionAttempt(
      deps,
      request,
      sampleSubject({ context: CONTEXT }),
      models,
      (error, admitted) => this.decided.push(error ?? admitted),
    );
  }

  begin(): AdmittedCall | null {
    return this.#attempt.begin(NOON);
  }
}

const FACTS: RequestFacts = {
  upstreamPath: '',
  model: 'claude-opus-4-5',
  stream: true,
  splices: [],
  tools: null,
  demand: NO_DEMAND,
  forward: () => [],
  counter: COUNTER,
  openReader: () => {
    throw new Error('nothing is read here');
  },
};

test('a shortened call counts under all its agents, if a limit on agents was set while its prompt was counted', () => {
  const sample = new SampleAttempt();
  sample.engine.load([sampleLimit('lim_1', { unit: 'tokens', amount: 2_000 })], [], NOON);
  expect(sample.begin()).toBeNull();
  const scope = { kind: 'each', of: 'agent', keyId: null } as const;
  sample.engine.put(sampleLimit('lim_2', { scope, unit: 'concurrency', amount: 9 }), NOON);
  sample.counted?.('late');
  expect(sample.decided).toEqual([]);
  expect(sample.questions).toMatchObject([{ agents: ['child'] }]);
  const parents = [
    { agent: 'child', parents: ['parent'] },
    { agent: 'parent', parents: [] },
  ];
  sample.engine.agents.answer(sample.questions[0]?.question ?? 0, parents);
  const [admitted] = sample.decided as AdmittedCall[];
  expect(admitted?.hold.counters.map(({ value }) => value)).toEqual(['', 's/child', 's/parent']);
  expect(admitted?.shortenedTo).toEqual({ outputTokens: 200, toolUses: null });
});
