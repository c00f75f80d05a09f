import type { LocalCall } from '../../domain/sessions/local-call.ts';
import { NO_TERMS, NO_USES, type ServiceTerms, type TokenCounts, type Usage } from '../../domain/usage/usage.ts';
import { countNoun } from '../../domain/text/counts.ts';
import { sumCounts } from './counters.ts';
import { idTime, type RequestStep, stepContext } from './facts.ts';
import { copiedNotes } from '../reading/copied-notes.ts';
import { CountedRequests, type RolloutRequest } from './counted-requests.ts';
import { RolloutFamily, rolloutThread, type RolloutFile } from './inherited-steps.ts';

/** Model of Codex before it logged one (early September 2025). */
const FIRST_MODEL = 'gpt-5';
const UNKNOWN_MODEL = 'unknown';
/** Name under which Codex reviews. The model behind it changed on this day. */
const REVIEW_MODEL = 'codex-auto-review';
const REVIEW_MODEL_CHANGED_AT = Date.UTC(2026, 6, 30);
/** Longest prompt with priority service, in tokens. Longer ones get default service and price. */
const PRIORITY_PROMPT_MAX = 272_000;

type CallDraft = { -readonly [Name in keyof LocalCall]: LocalCall[Name] };

/**
 * Returns each request of all rollouts once, the oldest first. A request that exists only as copies counts under the session
 * of the first copy. One that only its time shows to be a copy does not count: it belongs to a deleted session.
 */
export function resolveRollouts(rollouts: readonly RolloutFile[]): LocalCall[] {
  const ordered = rollouts.toSorted(byStart);
  const family = new RolloutFamily(ordered);
  const inherited = ordered.map((rollout) => family.inheritedSteps(rollout));
  const copies = ordered.flatMap((rollout, place) => copiesIn(rollout, inherited[place]?.proven ?? 0));
  const counted = new CountedRequests(family, copies);
  const calls: LocalCall[] = [];
  for (const [place, rollout] of ordered.entries()) {
    const { steps } = rollout.facts;
    for (let index = inherited[place]?.count ?? 0; index < steps.length; index++) {
      const step = steps[index];
      if (step === undefined || !counted.addNamed(step)) continue;
      if (copies.length > 0) counted.add({ rollout, step, index, isCopy: false });
      calls.push(toCodexCall(rollout, step, false));
    }
  }
  for (const request of copies) {
    if (!counted.addNamed(request.step) || counted.hasCopied(request)) continue;
    counted.add(request);
    calls.push(toCodexCall(request.rollout, request.step, true));
  }
  return calls.toSorted((a, b) => a.at - b.at);
}

function copiesIn(rollout: RolloutFile, inherited: number): RolloutRequest[] {
  if (inherited === 0) return [];
  return rollout.facts.steps.slice(0, inherited).map((step, index) => ({ rollout, step, index, isCopy: true }));
}

/** Returns sentences on what is less certain than it looks. */
export function rolloutWarnings(rollouts: readonly RolloutFile[], calls: readonly LocalCall[]): string[] {
  return [
    ...copiedNotes('Codex', calls),
    ...unprovenCopies(rollouts),
    ...assumedModels(rollouts),
    ...execOutputs(rollouts),
  ];
}

/** Returns a sentence on requests that only their time shows to be copies of a deleted session. */
function unprovenCopies(rollouts: readonly RolloutFile[]): string[] {
  const family = new RolloutFamily(rollouts.toSorted(byStart));
  const left = rollouts.flatMap((rollout) => {
    const { count, proven } = family.inheritedSteps(rollout);
    return rollout.facts.steps.slice(proven, count);
  });
  if (left.length === 0) return [];
  const tokens = countNoun(
    left.reduce((sum, { counts }) => sum + sumCounts(counts), 0),
    'token',
  );
  return [
    left.length === 1
      ? `Codex: 1 call (${tokens}) at the start of a fork has the time of the fork, because a deleted session made it. It is not counted.`
      : `Codex: ${countNoun(left.length, 'call')} (${tokens}) at the start of forks have the time of the fork, because deleted sessions made them. They are not counted.`,
  ];
}

function execOutputs(rollouts: readonly RolloutFile[]): string[] {
  const count = rollouts.filter(({ facts }) => facts.isExecOutput).length;
  if (count === 0) return [];
  const which = count === 1 ? '1 file holds' : `${count} files hold`;
  return [
    `Codex: ${which} output of "codex exec --json", which has neither times nor models and is not counted. Runs without --ephemeral are counted from their session files.`,
  ];
}

function assumedModels(rollouts: readonly RolloutFile[]): string[] {
  const assumed = rollouts.filter(({ facts }) => facts.steps.some((step) => stepContext(facts, step).model === null));
  if (assumed.length === 0) return [];
  const which = assumed.length === 1 ? '1 Codex session does' : `${assumed.length} Codex sessions do`;
  return [`${which} not name the model: ${FIRST_MODEL} is assumed for OpenAI, and other providers have no price.`];
}

/** Sorts by start, and never by modification time, which would make the result depend on the last change. */
function byStart(a: RolloutFile, b: RolloutFile): number {
  const [start, other] = [a.facts.startedAt ?? 0, b.facts.startedAt ?? 0];
  return start - other || compareNames(rolloutThread(a), rolloutThread(b)) || compareNames(a.file.path, b.file.path);
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function toCodexCall({ facts, file }: RolloutFile, step: RequestStep, isCopy: boolean): LocalCall {
  const { model, session, tier, turn } = stepContext(facts, step);
  const named = reviewedModel(model, step.at);
  const call: CallDraft = {
    source: 'codex',
    sessionId: session ?? facts.session ?? file.sessionId,
    project: facts.project,
    model: named ?? (isOpenAi(facts.provider) ? FIRST_MODEL : UNKNOWN_MODEL),
    // A copy may have the time of the fork, which is later than its turn.
    at: isCopy ? Math.min(step.at, idTime(turn) ?? step.at) : step.at,
    usage: toUsage(step, tier),
  };
  if (named === null) call.modelAssumed = true;
  if (isCopy) call.copied = true;
  if (step.total !== null) call.total = step.total;
  return call;
}

function reviewedModel(model: string | null, at: number): string | null {
  if (model !== REVIEW_MODEL) return model;
  return at < REVIEW_MODEL_CHANGED_AT ? 'gpt-5.4' : 'gpt-5.6-luna';
}

/** Returns true for OpenAI, also if the provider is absent, as in early rollouts. */
function isOpenAi(provider: string | null): boolean {
  return provider === null || provider === 'openai';
}

/** Converts logged counts to classes that do not overlap. */
function toUsage({ counts, grownTo }: RequestStep, tier: string | null): Usage {
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
    terms: toServiceTerms(tier, input),
  };
}

function toServiceTerms(tier: string | null, promptTokens: number): ServiceTerms {
  if (tier === null) return NO_TERMS;
  const asked = tier === 'fast' ? 'priority' : tier;
  return asked === 'priority' && promptTokens > PRIORITY_PROMPT_MAX ? NO_TERMS : { ...NO_TERMS, tier: asked };
}
