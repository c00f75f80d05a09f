import type { LocalCall } from '../../core/local-call.ts';
import { NO_TERMS, NO_USES, type ServiceTerms, type TokenCounts, type Usage } from '../../core/usage.ts';
import { contextOf, type Step } from './facts.ts';
import { Family, threadOf, type Rollout } from './inherited.ts';

/** What Codex used before it told its model (early September 2025). */
const FIRST_MODEL = 'gpt-5';
const UNKNOWN_MODEL = 'unknown';
/** Codex reviews under a name of its own; behind it was one model until this day, and another from then on. */
const REVIEW_MODEL = 'codex-auto-review';
const REVIEW_MODEL_CHANGED_AT = Date.UTC(2026, 6, 30);
/** Longer prompts are answered at the ordinary speed and price, whatever was asked for (tokens). */
const PRIORITY_PROMPT_MAX = 272_000;

/** Each request of all rollouts once, oldest first. One that several files tell of is as the earliest has it. */
export function resolveRollouts(rollouts: readonly Rollout[]): LocalCall[] {
  const ordered = rollouts.toSorted(byStart);
  const family = new Family(ordered);
  const named = new Set<string>();
  const calls: LocalCall[] = [];
  for (const rollout of ordered) {
    const inherited = family.inheritedSteps(rollout);
    for (const [index, step] of rollout.facts.steps.entries()) {
      if (step.response === null ? index < inherited : named.has(step.response)) continue;
      if (step.response !== null) named.add(step.response);
      calls.push(callOf(rollout, step));
    }
  }
  return calls.toSorted((a, b) => a.at - b.at);
}

/** What is not as sure as it looks. */
export function doubtsOf(rollouts: readonly Rollout[]): string[] {
  const assumed = rollouts.filter(({ facts }) => facts.steps.some((step) => contextOf(facts, step).model === null));
  if (assumed.length === 0) return [];
  const which = assumed.length === 1 ? 'One Codex session does' : `${assumed.length} Codex sessions do`;
  return [
    `${which} not say which model answered: ${FIRST_MODEL} is assumed for OpenAI, and no price is known for other providers.`,
  ];
}

/** Never by when a file changed: that would let the answer depend on which one did last. */
function byStart(a: Rollout, b: Rollout): number {
  const [start, other] = [a.facts.startedAt ?? 0, b.facts.startedAt ?? 0];
  return start - other || compare(threadOf(a), threadOf(b)) || compare(a.file.path, b.file.path);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function callOf({ facts, file }: Rollout, step: Step): LocalCall {
  const { model, session, tier } = contextOf(facts, step);
  const told = modelOf(model, step.at);
  return {
    source: 'codex',
    sessionId: session ?? facts.session ?? file.sessionId,
    project: facts.project,
    model: told ?? (isOpenAi(facts.provider) ? FIRST_MODEL : UNKNOWN_MODEL),
    ...(told === null && { modelAssumed: true as const }),
    at: step.at,
    usage: usageOf(step, tier),
  };
}

function modelOf(model: string | null, at: number): string | null {
  if (model !== REVIEW_MODEL) return model;
  return at < REVIEW_MODEL_CHANGED_AT ? 'gpt-5.4' : 'gpt-5.6-luna';
}

/** Rollouts of the first months don't name it. */
function isOpenAi(provider: string | null): boolean {
  return provider === null || provider === 'openai';
}

/** Classes that don't overlap: cache reads and writes are inside the input as logged. */
function usageOf({ counts, grownTo }: Step, tier: string | null): Usage {
  const [input, cached, written, output, thinking] = counts;
  const cacheRead = Math.min(cached, input);
  const cacheWrite = Math.min(written, input - cacheRead);
  const tokens: TokenCounts = { input: input - cacheRead - cacheWrite, output };
  if (cacheRead > 0) tokens.cacheRead = cacheRead;
  if (cacheWrite > 0) tokens.cacheWrite = cacheWrite;
  return {
    inferences: [{ model: null, tokens, promptTokens: grownTo ? null : input }],
    uses: NO_USES,
    thinking: Math.min(thinking, output),
    terms: termsOf(tier, input),
  };
}

function termsOf(tier: string | null, promptTokens: number): ServiceTerms {
  if (tier === null) return NO_TERMS;
  const asked = tier === 'fast' ? 'priority' : tier;
  return asked === 'priority' && promptTokens > PRIORITY_PROMPT_MAX ? NO_TERMS : { ...NO_TERMS, tier: asked };
}
