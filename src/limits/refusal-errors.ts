import { type ErrorExtras, type ErrorFacts, TollbookError } from '../domain/errors.ts';
import type { GatewayKey } from '../domain/identity/wrapped-key.ts';
import { RETRY_S_MAX } from '../domain/limits/admission-rules.ts';
import { limitHeaders } from '../domain/limits/limit-headers.ts';
import type { CounterStatus, LimitUnit } from '../domain/limits/limit.ts';
import { shownAmount } from '../domain/limits/limit-fields.ts';
import { toIso } from '../domain/time/period.ts';
import type { BatchFacts } from '../domain/usage/call.ts';
import type { RefusalReason } from '../domain/limits/refusal.ts';
import type { BlockReason } from './admission-block.ts';
import { describeAmount, describeLimit, describeValue } from '../domain/text/limits.ts';
import type { UsdRounding } from '../domain/text/money.ts';
import { raiseCommand } from '../domain/text/raise-command.ts';
import { formatDateTime } from '../domain/text/dates.ts';
import { formatCount } from '../domain/text/counts.ts';

/** Factor on the dollars, or on all amounts, of a call's bound. */
interface HoldRatio {
  readonly model: string;
  readonly ratio: number;
  /** Price list of the provider that stated higher costs than it gives; null = earlier calls exceeded their bound. */
  readonly statedBy: string | null;
}

/** A refusal by limits: the limit that blocks the call most, and the amount that the call needs of it. */
export interface LimitRefusal {
  readonly reason: BlockReason;
  readonly standing: CounterStatus;
  readonly need: number;
  /** Factor of `need` on the call's bound, for a model that has exceeded its bound; null = `need` is the bound. */
  readonly overrun: HoldRatio | null;
  /** Other nodes hold what the call needs. Default: they do not. */
  readonly isElsewhere?: boolean;
  /** Field of the request with the maximum of its output; null = there is none. */
  readonly outputField: string | null;
}

/** A call that a limit refused, as its alert and its record need it. */
export interface RefusedUnderLimit {
  readonly reason: RefusalReason;
  readonly standing: CounterStatus;
  /** In the limit's unit; null = the call has no bound, or no price. */
  readonly need: number | null;
  /** Reason for which a call has no bound: a phrase that names the field. */
  readonly unbounded?: string;
  /** Sentence that says what helps, at any time. It may end with a command, without a period. */
  readonly help: string;
}

/** Error of a call that a limit refused. */
export class LimitRefusedError extends TollbookError {
  readonly refused: RefusedUnderLimit;

  constructor(refused: RefusedUnderLimit, sentence: string, extras: ErrorExtras, param?: string) {
    super(refused.reason, sentence, param, extras);
    this.refused = refused;
  }
}

/** The wrapped key of the call that is refused. */
type RefusedKey = Pick<GatewayKey, 'id' | 'name'>;

/** Open calls settle soon; the gateway has waited for them already. */
const IN_FLIGHT_RETRY_S = 2;
/** Wait before a token counter that failed is asked again. */
const CANNOT_COUNT_RETRY_S = 5;

/**
 * Builds the error of a refusal: the limit, its figures and reset, the call's need and what helps; when to retry, if
 * that helps; and the same as facts for programs.
 */
export function refusalError(
  refusal: LimitRefusal,
  now: number,
  caller: RefusedKey,
  batch: BatchFacts | null = null,
): TollbookError {
  const { reason, standing } = refusal;
  const retryAfter = waitSeconds(refusal, now);
  const help = helpWith(refusal, retryAfter);
  const sentence = `${describeProblem(refusal, caller)}: ${describeFigures(standing)}. ${describeReset(standing, now)} ${describeRatio(refusal)}${describeBatch(batch)}${help}`;
  return limitError(reason, sentence, refusal, retryAfter);
}

/** Says what makes a batch large. */
function describeBatch(batch: BatchFacts | null): string {
  if (batch === null) return '';
  const { requests, largest } = batch;
  const [count, input, output] = [requests, largest.inputTokens, largest.outputTokens].map((each) => formatCount(each));
  return `Each of its requests (${count}) counts up to ${input} input tokens (each byte as one, and the words that the provider adds) and ${output} output tokens (its maximum, or that of its model). `;
}

/**
 * Builds the error of a call that fits only if its prompt is short enough, where the provider's free counter did not
 * answer.
 * @param uncounted `late`: it may answer when asked again; `never`: it does not take this request
 */
export function cannotCountError(
  refusal: Omit<LimitRefusal, 'reason'>,
  providerName: string,
  caller: RefusedKey,
  uncounted: 'late' | 'never',
): TollbookError {
  const retryAfter = uncounted === 'late' ? CANNOT_COUNT_RETRY_S : null;
  const [problem, help] =
    uncounted === 'late'
      ? ['did not answer', `Try again in ${retryAfter} s, or send less.`]
      : ['does not accept this request', `${smallerHelps(refusal)}, or ${raiseHint(refusal)}`];
  const sentence = `This call fits under ${describeRefusedLimit(refusal.standing, caller)} only if its prompt is short enough, and the token counter of ${providerName} ${problem}. ${describeRatio(refusal)}${help}`;
  // Clients retry after a 429, even if that never helps.
  return limitError(uncounted === 'late' ? 'counter_unavailable' : 'exceeds_limit', sentence, refusal, retryAfter);
}

/** @param reason a phrase that names the field: `tools[].web_search without max_uses` */
export function unboundedError(reason: string, standing: CounterStatus, caller: RefusedKey): TollbookError {
  const help = `Bound it in the request, or assume a cost for such calls of this key: tollbook policies set ${caller.id} --presume USD.`;
  return new LimitRefusedError(
    { reason: 'unbounded', standing, need: null, unbounded: reason, help },
    `This call has no upper bound (${reason}), so ${describeRefusedLimit(standing, caller)} can't hold it. ${help}`,
    { facts: { reason: 'unbounded', limit: standing.limit.id, field: reason, help } },
  );
}

/** The name comes from the wire, and the command is there to be pasted. */
function pastedName(model: string): string {
  return /^[\w./:@+-]{1,100}$/.test(model) ? model : 'MODEL';
}

export function unpricedError(
  model: string,
  priceProvider: string,
  standing: CounterStatus,
  caller: RefusedKey,
): TollbookError {
  const plain = pastedName(model);
  const what = `${plain === model ? model : 'This model'} has no price`;
  const help = `Set a price: tollbook prices set ${priceProvider} ${plain} --input USD --output USD`;
  return buildUnpricedError({ what, help, standing, caller }, 'model');
}

/** Builds the error of a batch whose model has a price, but none for batches. */
export function unpricedBatchError(
  model: string,
  priceProvider: string,
  standing: CounterStatus,
  caller: RefusedKey,
): TollbookError {
  const plain = pastedName(model);
  const what = `Something that this batch requests from ${plain} has no price for batches`;
  const help = `Set one: tollbook prices set ${priceProvider} ${plain} --input USD --output USD --tier batch=0.5`;
  return buildUnpricedError({ what, help, standing, caller });
}

/** Builds the error of a call whose model has a price, but not for everything that the request asks for. */
export function unpricedTermsError(model: string, standing: CounterStatus, caller: RefusedKey): TollbookError {
  const what = `Something that this call requests from ${model.slice(0, 100)} has no known price (its kind of input or output, service tier, speed, region, cache lifetime or tools)`;
  return buildUnpricedError({ what, help: 'Remove it from the request', standing, caller });
}

interface LackingPrice {
  readonly what: string;
  /** Without its end. */
  readonly help: string;
  readonly standing: CounterStatus;
  readonly caller: RefusedKey;
}

function buildUnpricedError({ what, help: first, standing, caller }: LackingPrice, param?: string): TollbookError {
  const help = `${first}; or let such calls of this key pass uncounted: tollbook policies set ${caller.id} --unpriced allow.`;
  return new LimitRefusedError(
    { reason: 'unpriced_model', standing, need: null, help },
    `${what}, so ${describeRefusedLimit(standing, caller)} can't hold it. ${help}`,
    { facts: { reason: 'unpriced_model', limit: standing.limit.id, help } },
    param,
  );
}

/**
 * Builds the error of a request for more output than the key's policy allows, where the policy does not shorten
 * answers.
 * @param outputField field of the request with the maximum; null = there is none
 */
export function tooLargeOutputError(
  asked: number,
  maxOutputTokens: number,
  { name }: RefusedKey,
  outputField: string | null,
): TollbookError {
  const [wanted, allowed] = [asked, maxOutputTokens].map((tokens) => formatCount(tokens));
  return new TollbookError(
    'policy_denied',
    `The wrapped key "${name}" may ask for at most ${allowed} output tokens; this call asks for ${wanted}. Ask for less${outputField === null ? '' : ` (${outputField})`}.`,
    outputField ?? undefined,
  );
}

function limitError(
  type: BlockReason | 'counter_unavailable',
  sentence: string,
  refusal: Omit<LimitRefusal, 'reason'>,
  retryAfter: number | null,
): TollbookError {
  const { standing, need } = refusal;
  const overrun = applicableOverrun(refusal);
  const help = helpWith({ ...refusal, reason: type }, null);
  return new LimitRefusedError({ reason: type, standing, need, help }, sentence, {
    facts: { ...refusalFacts(type, standing, need), ...(overrun && { boundRatio: roundRatioUp(overrun.ratio) }), help },
    headers: [...limitHeaders(standing), 'x-svc-limit-reason', type],
    ...(retryAfter !== null && { retryAfter }),
  });
}

/** Builds the error of a call whose on-demand counters the ledger did not send in time. */
export function uncountedError(waitedMs: number): TollbookError {
  return new TollbookError(
    'unavailable',
    `The ledger did not answer within ${waitedMs / 1_000} s how much the limits of this call have counted, so the call was not sent. Try again in a moment.`,
    undefined,
    { retryAfter: 1 },
  );
}

/** Builds the error of a call where this node can't ask what is left of limits that it shares with other nodes. */
export function unleasedError(): TollbookError {
  return new TollbookError(
    'unavailable',
    'This node could not ask the database how much other nodes have left of the limits of this call, so the call was not sent. Try again in a moment.',
    undefined,
    { retryAfter: IN_FLIGHT_RETRY_S },
  );
}

/** Builds the error of a call whose on-demand counters have no place in memory. */
export function crowdedError(caller: RefusedKey): TollbookError {
  return new TollbookError(
    'unavailable',
    `Limits on each session, agent or run have no room for another one: too many have open calls, in total or with the key "${caller.name}". Wait until some calls have ended.`,
    undefined,
    { retryAfter: 1 },
  );
}

/** Returns the facts of a refusal in dollars or counts, as shown everywhere. */
function refusalFacts(
  reason: string,
  { limit, value, windowEnd, ...standing }: CounterStatus,
  need: number,
): ErrorFacts {
  const shown = (amount: number | bigint): number => shownAmount(limit.unit, amount);
  return {
    reason,
    limit: limit.id,
    ...(value !== '' && { value }),
    unit: limit.unit,
    amount: shown(standing.amount),
    counted: shown(standing.counted),
    held: shown(standing.held),
    remaining: shown(standing.left),
    needed: shown(need),
    resetsAt: windowEnd === null ? null : toIso(windowEnd),
  };
}

/** Returns the seconds after which the same call may pass; null = waiting does not help, or takes too long. */
export function waitSeconds({ reason, standing, need }: LimitRefusal, now: number): number | null {
  if (reason === 'in_flight') return IN_FLIGHT_RETRY_S;
  if (standing.windowEnd === null || need > standing.amount) return null;
  const seconds = Math.max(1, Math.ceil((standing.windowEnd - now) / 1_000));
  return seconds <= RETRY_S_MAX ? seconds : null;
}

function describeProblem({ reason, standing, need, isElsewhere }: LimitRefusal, caller: RefusedKey): string {
  const limit = describeRefusedLimit(standing, caller);
  const { unit } = standing.limit;
  if (unit === 'concurrency') return `No more concurrent calls fit under ${limit}`;
  if (unit === 'calls') return `${reason === 'in_flight' ? 'Open calls fill' : 'No call is left under'} ${limit}`;
  const wanted = `This call needs up to ${describeAmount(unit, need, 'up')}`;
  if (reason === 'in_flight')
    return `${wanted}, and open calls${isElsewhere ? ' on other nodes' : ''} hold what it needs of ${limit}`;
  if (reason === 'spent') return `${wanted}, and nothing is left under ${limit}`;
  if (need > standing.amount) return `${wanted}, more than the whole of ${limit}`;
  return `${wanted}, more than is left under ${limit}`;
}

/** `the limit "Team" ($5.00 a day for each user; user=ann)`, `the limit of $5.00 a day for each user (user=ann)`. */
function describeRefusedLimit({ limit, value, amount }: CounterStatus, { name }: RefusedKey): string {
  // A call only meets limits of its own key.
  const words = describeLimit({ ...limit, amount }, () => `"${name}"`);
  const which = describeValue(limit, value);
  if (limit.label === null) return `the limit of ${words}${which && ` (${which})`}`;
  return `the limit "${limit.label}" (${words}${which && `; ${which}`})`;
}

function describeFigures({ limit, counted, uncertain, held, left }: CounterStatus): string {
  const say = (amount: number | bigint, rounding?: UsdRounding): string => describeAmount(limit.unit, amount, rounding);
  const uncertainPart = uncertain > 0 ? ` (${say(uncertain)} of it uncertain)` : '';
  if (limit.unit === 'concurrency') return `${say(held)} open`;
  return `${say(counted)} counted${uncertainPart}, ${say(held)} held by open calls, ${say(left, 'down')} left`;
}

/** Says when the limit resets, in its own time zone and in UTC. */
export function describeReset({ limit, windowEnd }: CounterStatus, now: number): string {
  if (limit.unit === 'concurrency') return 'Each call that ends makes room for another.';
  if (windowEnd === null) return 'It never resets.';
  const { zone } = limit.zones.findLast(({ since }) => since <= now) ?? { zone: 'UTC' };
  const utc = `${formatDateTime(windowEnd, 'UTC')} UTC`;
  const resets = windowEnd > now ? 'resets' : 'was reset';
  return zone === 'UTC'
    ? `It ${resets} on ${utc}.`
    : `It ${resets} on ${formatDateTime(windowEnd, zone)} (${zone}), ${utc}.`;
}

/** Explains a need that exceeds the call's bound because of earlier overruns: a sentence and a blank, or ''. */
function describeRatio(refusal: Omit<LimitRefusal, 'reason'>): string {
  const overrun = applicableOverrun(refusal);
  if (!overrun) return '';
  const { statedBy } = overrun;
  const [ratio, model] = [roundRatioUp(overrun.ratio), overrun.model.slice(0, 100)];
  if (statedBy !== null)
    return `It is held at ${ratio} times its bound, because its provider lately charged that much more than the price of ${model}. To end that, correct the price: tollbook prices set ${statedBy} ${model} --input USD --output USD. `;
  return `It is held at ${ratio} times its bound, because earlier calls to ${model} exceeded theirs. To end that, mark the alert as read: tollbook alerts read ALERT (see alerts list). `;
}

/** Returns the overrun, except for units that no ratio scales. */
function applicableOverrun({ overrun, standing }: Omit<LimitRefusal, 'reason'>): LimitRefusal['overrun'] {
  const { unit } = standing.limit;
  if (overrun !== null && overrun.statedBy !== null) return unit === 'usd' ? overrun : null;
  return unit === 'calls' || unit === 'concurrency' ? null : overrun;
}

function roundRatioUp(ratio: number): number {
  return Math.ceil(ratio * 100) / 100;
}

/** Units that a call needs less of when it asks for less output. */
const OUTPUT_UNITS: readonly LimitUnit[] = ['usd', 'tokens', 'output_tokens'];

function helpWith(
  refusal: Pick<RefusedUnderLimit, 'reason'> & Omit<LimitRefusal, 'reason'>,
  retryAfter: number | null,
): string {
  const { reason, standing, need } = refusal;
  const { limit, windowEnd } = standing;
  const raise = raiseHint({ standing, need });
  if (reason === 'in_flight' && retryAfter !== null) return `Try again in ${retryAfter} s.`;
  if (retryAfter !== null) return `Try again in ${retryAfter} s, or ${raise}`;
  if (reason === 'exceeds_limit' && OUTPUT_UNITS.includes(limit.unit)) return `${smallerHelps(refusal)}, or ${raise}`;
  return `To continue${windowEnd === null ? '' : ' before that'}, ${raise}`;
}

/** Ends with a command that can be pasted, so no period follows. */
function raiseHint({ standing, need }: Pick<LimitRefusal, 'standing' | 'need'>): string {
  const { limit, amount, counted, held } = standing;
  const { id, unit } = limit;
  const used = shownAmount(unit, Number(counted) + Number(held) + need);
  return `raise it: ${raiseCommand({ id, unit, amount: shownAmount(unit, amount), used })}`;
}

/** Says how a call can need less of the limit. */
function smallerHelps({ standing, outputField }: Pick<LimitRefusal, 'standing' | 'outputField'>): string {
  if (outputField === null || !OUTPUT_UNITS.includes(standing.limit.unit)) return 'Send less';
  return `Ask for less output (a smaller ${outputField}), send less`;
}
