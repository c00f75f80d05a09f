import { expect, test } from 'vitest';
import { type SharedNode, SharedNodes } from '../../../test/support/shared-nodes.ts';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import { NO_DEMAND, type RequestDemand } from '../../domain/limits/demand.ts';
import { OPEN_POLICY } from '../../domain/policy/policy.ts';
import { NOON, sampleLimit, sampleNeed, sampleSubject } from '../../limits/contract/sample-limits.ts';
import type { AgentQuestion } from '../../limits/agent-tree.ts';
import { Hold } from '../../limits/hold.ts';
import { LimitsEngine } from '../../limits/limits.ts';
import type { BodySplice, ForwardTerms, Provider, RequestFacts, TokenCounter } from '../../providers/provider.ts';
import { AdmissionAttempt, type AdmittedCall } from './attempt.ts';
import type { CountCallback } from './count-tokens.ts';
import type { InferenceRequest } from './proxy-request.ts';

const CONTEXT = { session: 's', agent: 'child', parentAgent: null, run: null, requestClass: null };
const COUNTER: TokenCounter = { upstreamPath: '', requestOf: (body) => body, read: () => null };

/** A call of 1,500 bytes that asks for 1,000 tokens. Its prompt can be counted, and it may be shortened. */
class SampleAttempt {
  readonly engine: LimitsEngine;
  /** Terms that were written into the request. */
  readonly terms: ForwardTerms[] = [];
  readonly questions: AgentQuestion[] = [];
  /** The admitted call, or why it is refused. */
  readonly decided: unknown[] = [];
  /** Answers the count of the prompt. */
  counted: CountCallback | null = null;
  readonly #attempt: AdmissionAttempt;

  /** @param node the node of limits that several share; default: none */
  constructor(demand: Partial<RequestDemand> = { outputMax: 1_000 }, node: SharedNode | null = null) {
    const observer = { crossed: () => {}, overran: () => {} };
    this.engine =
      node?.sync.engine ?? new LimitsEngine({ ...observer, asksAgents: (question) => this.questions.push(question) });
    const forward = (terms: ForwardTerms): readonly BodySplice[] => {
      this.terms.push(terms);
      return [];
    };
    const facts = { ...FACTS, forward, demand: { ...NO_DEMAND, textBytes: 1_500, ...demand } };
    const policy = { ...OPEN_POLICY, minOutputTokens: 200 };
    const key = { id: 'key_a', name: 'a key', workspaceId: 'ws_a', policy } as GatewayKey;
    const provider = { id: 'anthropic', name: 'Anthropic', priceProvider: 'anthropic' } as Provider;
    const deps = {
      engine: this.engine,
      now: () => NOON,
      uptime: () => node?.shared.uptime ?? 0,
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

test('a call that waits obeys a limit on tokens that is created meanwhile', () => {
  const work = { passes: 0, loopPasses: 3, loopSearches: null, uses: {}, unbounded: null };
  const sample = new SampleAttempt({ work });
  sample.engine.load([sampleLimit('lim_1', { unit: 'concurrency', amount: 1 })], [], NOON);
  const subject = sampleSubject();
  const open = sample.engine.admit(subject, sample.engine.findCounters(subject, NOON), sampleNeed(0), NOON);
  expect(sample.begin()).toBeNull();
  sample.engine.put(sampleLimit('lim_2', { unit: 'output_tokens', amount: 5_000 }), NOON);
  if (open instanceof Hold) sample.engine.release(open, NOON);
  const [admitted] = sample.decided as AdmittedCall[];
  // One maximum is written, which the four passes share.
  expect(admitted?.hold.need.outputTokens).toBe(4_000);
  expect(sample.terms).toMatchObject([{ outputMax: 4_000 }]);
});

test('a shortened call obeys a limit on dollars that is created while its prompt is counted', () => {
  const sample = new SampleAttempt();
  sample.engine.load([sampleLimit('lim_1', { unit: 'tokens', amount: 2_000 })], [], NOON);
  expect(sample.begin()).toBeNull();
  sample.engine.put(sampleLimit('lim_2', { unit: 'usd', amount: 9_000_000 }), NOON);
  sample.counted?.('late');
  // The model has no price, so no amount of dollars bounds the call.
  expect(sample.decided).toMatchObject([{ refused: { reason: 'unpriced_model' } }]);
  expect([sample.engine.holds, sample.terms]).toEqual([0, []]);
});

test('a call whose prompt was counted waits again for what other nodes share', async () => {
  const nodes = new SharedNodes(sampleLimit('lim_1', { unit: 'tokens', amount: 2_000, window: 'total' }));
  const sample = new SampleAttempt({ outputMax: 1_000 }, nodes.start('a'));
  expect(sample.begin()).toBeNull();
  await nodes.pass(100);
  // The whole amount is less than its bytes and its output.
  sample.counted?.(500);
  await nodes.pass(100);
  const [admitted] = sample.decided as AdmittedCall[];
  expect(admitted?.hold.need).toMatchObject({ inputTokens: 500, outputTokens: 1_000 });
});

test('a call is refused, to come again, while the node can not ask what other nodes have left', async () => {
  const nodes = new SharedNodes(sampleLimit('lim_1', { window: 'total' }));
  nodes.isAway = true;
  const node = nodes.start('a');
  const waiting = new SampleAttempt({ outputMax: 1_000 }, node);
  expect(waiting.begin()).toBeNull();
  await nodes.pass(2_100);
  const refusal = { type: 'unavailable', retryAfter: 2 };
  expect(waiting.decided).toMatchObject([refusal]);
  // By now the node knows that nobody answers.
  expect(() => new SampleAttempt({ outputMax: 1_000 }, node).begin()).toThrow(/other nodes/);
});
