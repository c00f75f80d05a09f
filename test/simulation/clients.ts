import type { CallAmounts } from '../../src/domain/usage/call.ts';
import type { CallContext } from '../../src/domain/usage/call-context.ts';
import type { RequestDemand } from '../../src/domain/limits/demand.ts';
import { TollbookError } from '../../src/domain/errors.ts';
import type { GatewayKey } from '../../src/domain/identity/wrapped-key.ts';
import { boundCall, type KnownBounds, type ModelBounds } from '../../src/domain/limits/cost-bound.ts';
import { OPEN_POLICY, type Policy } from '../../src/domain/policy/policy.ts';
import type { LimitsEngine } from '../../src/limits/limits.ts';
import { LimitRefusedError, type RefusedUnderLimit } from '../../src/limits/refusal-errors.ts';
import { scaleAmounts } from '../../src/limits/overruns.ts';
import type { LimitSubject } from '../../src/limits/scope-index.ts';
import type { Provider, RequestFacts, TokenCounter } from '../../src/providers/provider.ts';
import { type AdmittedCall, AdmissionAttempt, type AttemptDeps } from '../../src/gateway/proxy/attempt.ts';
import type { CountCallback } from '../../src/gateway/proxy/count-tokens.ts';
import type { InferenceRequest } from '../../src/gateway/proxy/proxy-request.ts';
import { Dice } from './dice.ts';
import { cardFor, drawRequest, OUTPUT_MAX, pricedAs, PROVIDER, type Request } from './provider.ts';
import type { SimulatedTime } from './time.ts';
import { type Truth, WORKSPACES } from './truth.ts';
import type { TrueCall } from './true-call.ts';
import { must } from './violation.ts';

/** No answer is shortened to less. */
const SHORTEST = 40;
/** The keys of clients, and what each may do. */
const POLICIES = {
  key_a: { ...OPEN_POLICY, whenOverLimit: 'refuse', unpricedModels: 'allow' },
  key_b: { ...OPEN_POLICY, minOutputTokens: SHORTEST, assumedCostUsd: 700 },
} satisfies Record<string, Policy>;
type KeyId = keyof typeof POLICIES;
const KEYS = Object.keys(POLICIES) as [KeyId, ...KeyId[]];
const TEAMS = ['red', 'blue', null] as const;
const SESSIONS = ['s1', 's2', null] as const;
const RUNS = ['r1', 'r2', null] as const;
/** The main agent, one that it started, and two below that, which do not always say so, or name another one. */
type AgentNames = Pick<CallContext, 'agent' | 'parentAgent'>;
const AGENTS: readonly [AgentNames, ...AgentNames[]] = [
  { agent: null, parentAgent: null },
  { agent: 'a', parentAgent: null },
  { agent: 'b', parentAgent: 'a' },
  { agent: 'b', parentAgent: 'd' },
  { agent: 'b', parentAgent: null },
  { agent: 'c', parentAgent: 'b' },
  { agent: 'c', parentAgent: null },
];
/** In a world that is about agents. */
const FEW_AGENTS = [AGENTS[2], AGENTS[3], AGENTS[4], AGENTS[4], AGENTS[5], AGENTS[6]];
const FEW_SESSIONS = ['s1', 's1', 's1', null] as const;
const MOSTLY_ONE_KEY = ['key_a', 'key_a', 'key_a', 'key_b'] as const;
/** Names of models and keys stand in sentences only. */
const NAMES = { name: 'simulated', priceProvider: PROVIDER } as Provider;
const COUNTER: TokenCounter = { upstreamPath: '', requestOf: (body) => body, read: () => null };

/** A call that the gate lets go. */
export interface AdmittedRequest {
  readonly admitted: AdmittedCall;
  readonly request: Request;
  /** What the provider is told to obey. */
  readonly outputMax: number;
  /** What it must set aside at least, where calls of its model passed their bound; null = they did not. */
  readonly least: CallAmounts | null;
  /** Calls that were admitted before it arrived. */
  readonly before: readonly TrueCall[];
  /** Everything that happens to it from here on. */
  readonly fate: Dice;
}

export interface ClientsParts {
  readonly engine: LimitsEngine;
  readonly now: () => number;
  readonly time: SimulatedTime;
  readonly truth: Truth;
  readonly isAboutAgents: boolean;
  readonly reads: (demand: RequestDemand) => RequestDemand;
  readonly leaves: (leaving: AdmittedRequest) => void;
  readonly newCallId: () => string;
  /** A limit refused a call. */
  readonly refuses: (callId: string, subject: LimitSubject, refused: RefusedUnderLimit) => void;
}

/** One client that asks, with all that the simulation knows of it. */
interface Asking {
  readonly callId: string;
  readonly subject: LimitSubject;
  readonly policy: Policy;
  readonly request: Request;
  readonly models: readonly ModelBounds[];
  /** Of the moment at which the gate reckoned its need last. */
  ratio: number;
  promptTokens: number | null;
}

/** The answer of a free counter that is still to come. */
interface Count {
  readonly asking: Asking;
  readonly counted: CountCallback;
}

/** Clients and their way through the gateway's admission, which is the real one. */
export class SimulatedClients {
  readonly #parts: ClientsParts;
  readonly #attempts = new Map<AdmissionAttempt, Asking>();
  readonly #counts = new Set<Count>();

  constructor(parts: ClientsParts) {
    this.#parts = parts;
  }

  /** Some wait for room, or until their prompt is counted. */
  get areWaiting(): boolean {
    return this.#attempts.size > 0;
  }

  arrive(dice: Dice): void {
    const { truth, now } = this.#parts;
    const request = drawRequest(dice);
    const subject = drawSubject(dice, request, this.#parts.isAboutAgents);
    truth.agents.asked(subject);
    const before = [...truth.calls.values()];
    const fate = new Dice(dice.whole(0, 2 ** 30));
    const models = [
      { model: request.model, cards: [cardFor(request.model)].filter((card) => card !== null), outputMax: OUTPUT_MAX },
    ];
    const policy = POLICIES[subject.keyId as KeyId];
    const asking: Asking = {
      callId: this.#parts.newCallId(),
      subject,
      policy,
      request,
      models,
      ratio: truth.alerts.ratioOf(subject),
      promptTokens: null,
    };
    let outputMax = Math.min(request.demand.outputMax ?? OUTPUT_MAX, OUTPUT_MAX);
    const inference = this.#makeRequest(asking, (most) => {
      outputMax = most;
    });
    const leaves = (admitted: AdmittedCall): void => {
      // Somebody may have read the alert while the call waited.
      const ratio = Math.min(asking.ratio, truth.alerts.ratioOf(subject));
      const least = ratio > 1 ? scaleAmounts(computeBound(asking, { outputMax }), ratio) : null;
      this.#parts.leaves({ admitted, request, outputMax, least, before, fate });
    };
    let attempt: AdmissionAttempt | null = null;
    try {
      const made = new AdmissionAttempt(this.#attemptDeps(asking), inference, subject, models, (error, admitted) => {
        this.#attempts.delete(made);
        if (admitted) leaves(admitted);
        else this.#refused(asking, error);
      });
      attempt = made;
      this.#attempts.set(made, asking);
      const admitted = made.begin(now());
      if (!admitted) return;
      this.#attempts.delete(made);
      leaves(admitted);
    } catch (error) {
      if (attempt) this.#attempts.delete(attempt);
      this.#refused(asking, error);
    }
  }

  /** Whoever waited leaves. */
  leave(dice: Dice): void {
    const attempt = dice.pick([...this.#attempts.keys()]);
    if (!attempt) return;
    this.#attempts.delete(attempt);
    attempt.leave();
  }

  /** A provider says how long a prompt is, or doesn't. */
  count(dice: Dice): void {
    const count = dice.pick([...this.#counts]);
    if (!count) return;
    this.#counts.delete(count);
    const { asking, counted } = count;
    const { promptTokens, demand } = asking.request;
    if (!dice.chance(0.8)) return counted('late');
    const tokens = Math.min(promptTokens + dice.whole(0, 20), demand.textBytes);
    asking.promptTokens = tokens;
    asking.ratio = this.#parts.truth.alerts.ratioOf(asking.subject);
    counted(tokens);
  }

  /** Nobody waits for room who fits, with no call under way. */
  check(): void {
    const { truth, now, engine: ledger } = this.#parts;
    const counting = new Set([...this.#counts].map(({ asking }) => asking));
    for (const asking of this.#attempts.values()) {
      const subject = truth.agents.atMost(asking.subject);
      must(
        counting.has(asking) ||
          // The limit that made it ask for the agents above may be gone, but the answer comes.
          (subject.context?.agent && ledger.agents.waiting > 0) ||
          ledger.findCounters(subject, now()).some(({ isLoaded }) => !isLoaded) ||
          !truth.isKeptWaiting(subject, this.#needOf(asking), now()),
        () => '9: a call waits that fits, and nothing is under way',
      );
    }
  }

  #attemptDeps(asking: Asking): AttemptDeps {
    const { engine: ledger, now, time } = this.#parts;
    return {
      engine: ledger,
      now,
      uptime: () => time.uptime,
      countTokens: (_request, _counter, counted) => {
        const count = { asking, counted };
        this.#counts.add(count);
        return () => this.#counts.delete(count);
      },
      onWaiting: () => {},
    };
  }

  /** Makes a request with what an attempt reads of it. */
  #makeRequest({ subject, policy, request }: Asking, obeys: (outputMax: number) => void): InferenceRequest {
    const facts: RequestFacts = {
      upstreamPath: '',
      model: request.model,
      stream: true,
      splices: [],
      tools: null,
      demand: this.#parts.reads(request.demand),
      forward: ({ outputMax }) => {
        if (outputMax !== null) obeys(outputMax);
        return [];
      },
      counter: request.isCountable ? COUNTER : null,
      openReader: () => {
        throw new Error('nothing is read here');
      },
    };
    return {
      key: { id: subject.keyId, name: subject.keyId, policy } as GatewayKey,
      provider: NAMES,
      facts,
    } as InferenceRequest;
  }

  /** What it asked to set aside. */
  #needOf(asking: Asking, given: KnownBounds = {}): CallAmounts {
    const { policy, request, subject } = asking;
    const { truth, now } = this.#parts;
    // A call that waits for its counters is bounded after that. Its model may have exceeded its bound meanwhile.
    const ratio = Math.max(asking.ratio, truth.alerts.ratioOf(subject));
    const need = scaleAmounts(computeBound(asking, given), ratio);
    const isPresumed = request.demand.work.unbounded !== null && truth.isUnderLimit(subject, now());
    return isPresumed && policy.assumedCostUsd !== null
      ? { ...need, usd: (need.usd ?? 0) + policy.assumedCostUsd }
      : need;
  }

  /** The reason must be true. */
  #refused(asking: Asking, error: unknown): void {
    if (!(error instanceof TollbookError)) throw error;
    const { truth, now, engine: ledger } = this.#parts;
    const { policy, request } = asking;
    const { type } = error;
    if (error instanceof LimitRefusedError) this.#parts.refuses(asking.callId, asking.subject, error.refused);
    const subject = truth.agents.atMost(asking.subject);
    const [at, waiting] = [now(), ledger.waiting];
    if (type === 'unavailable') return truth.refusedUncounted(subject, at);
    if (type === 'unbounded' || type === 'unpriced_model') return truth.refusedUnknown(subject, at, type);
    const waits = type === 'counter_unavailable' || (error.retryAfter !== undefined && type !== 'in_flight');
    // If waiting for the window helps, the whole call is refused; otherwise its shortest form.
    if (policy.whenOverLimit === 'refuse' || waits)
      return truth.refused(subject, this.#needOf(asking), at, type, waiting);
    asking.ratio = truth.alerts.ratioOf(subject);
    const outputMax = Math.min(request.demand.outputMax ?? OUTPUT_MAX, OUTPUT_MAX, SHORTEST);
    truth.refused(subject, this.#needOf(asking, { outputMax }), at, type, waiting);
  }
}

/** By the request as it is, whatever the gate has read. */
function computeBound({ request, models, policy, promptTokens }: Asking, given: KnownBounds): CallAmounts {
  const counted = promptTokens === null ? {} : { inputTokens: promptTokens };
  return boundCall(request.demand, models, policy, { ...counted, ...given }).hold;
}

function drawSubject(dice: Dice, { model }: Request, isAboutAgents: boolean): LimitSubject {
  const team = dice.pick(TEAMS);
  return {
    workspaceId: dice.chance(0.9) ? WORKSPACES[0] : WORKSPACES[1],
    keyId: isAboutAgents ? dice.pick(MOSTLY_ONE_KEY) : dice.pick(KEYS),
    provider: PROVIDER,
    model,
    pricedModel: pricedAs(model),
    tags: team === null ? {} : { team },
    context: {
      session: isAboutAgents ? dice.pick(FEW_SESSIONS) : dice.pick(SESSIONS),
      run: dice.pick(RUNS),
      requestClass: null,
      ...(dice.pick(isAboutAgents ? FEW_AGENTS : AGENTS) ?? AGENTS[0]),
    },
  };
}
