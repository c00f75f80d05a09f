import {
  BATCHES,
  type CallAmounts,
  type CallBegin,
  type CallEnd,
  type CallOutcome,
  type PricedCosts,
  type UncertainReason,
  type UsageSource,
} from './call.ts';
import type { RateCard } from '../pricing/price.ts';
import { priceUsage, type ResolveCard } from '../pricing/pricing.ts';
import { fromPrices, hasCustomPrice, type CostProvenance } from '../pricing/provenance.ts';
import {
  type ServiceTerms,
  type TokenClass,
  type Usage,
  inputTokens,
  NO_TERMS,
  NO_USES,
  OUTPUT_CLASSES,
  outputTokens,
  totalTokens,
  USE_CLASSES,
  type UseCounts,
} from './usage.ts';

/** Observations of the gateway at the end of a call. */
export interface ObservedResponse {
  readonly endedAt: number;
  /** HTTP status of the provider's answer; 0 = none. */
  readonly status: number;
  /** Why reading stopped; null = the answer's bytes ended by themselves, or its terminal event was seen. */
  readonly stopped: 'not_sent' | 'client_left' | 'reset' | 'timeout' | 'unreadable' | 'overrun' | 'crash' | null;
  readonly complete: boolean;
  readonly errored: boolean;
  /** The provider bills this call by use, though the client's login has a subscription; absent = no. */
  readonly isBilledByUse?: boolean;
  /** Word by which the provider names its error; null, absent = none. */
  readonly errorType?: string | null;
  /** The provider works on after the connection has ended, and its response can be read later; absent = no. */
  readonly runsOn?: boolean;
  /** The host may charge for this refusal; absent = no. */
  readonly chargedRefusal?: boolean;
  readonly usage: Usage | null;
  /**
   * The request lets the provider work for a fee that no price list has. Limits count this much for it, in nano-USD; null,
   * absent = it does not.
   */
  readonly unlistedFee?: number | null;
  /** Token classes that the request names; absent = none. */
  readonly asked?: readonly TokenClass[];
  /** Bytes of generated text that were seen. */
  readonly outputBytes: number;
  /** Bytes of the decoded request body. */
  readonly bodyBytes: number;
  readonly model: string | null;
  readonly requestId: string | null;
  readonly responseId: string | null;
  readonly firstByteMs: number | null;
}

const FROM_PROVIDER: CostProvenance = { from: 'provider' };
const NOTHING: CallAmounts = { usd: 0, inputTokens: 0, outputTokens: 0 };

/**
 * Statuses by which a proxy in between reports a timeout: the provider may have done the work. 502 and 520 cost nothing:
 * proxies send them immediately while a provider is down, and counting the holds of all retries would use up limits for
 * work that was never done.
 */
const GIVEN_UP: ReadonlySet<number> = new Set([504, 524]);

const REQUEST_TIMEOUT = 408;

/** Rough length of a token in bytes, for what was delivered to a client that left; such an entry is marked `counted`. */
const BYTES_PER_TOKEN = 4;

/**
 * Settles a call: its effective cost, and the amounts that limits count. The cost is null when it is unknown whether, or
 * at what price, the provider charged.
 * @param resolve finds contracted prices
 * @param list finds listed prices, if they differ
 */
export function settleCall(
  begin: CallBegin,
  seen: ObservedResponse,
  resolve: ResolveCard,
  list: ResolveCard = resolve,
): CallEnd {
  const end = withPricedCosts(leaveOpen(settleCharged(begin, seen, resolve), seen, begin), { resolve, list });
  return begin.isSubscription && seen.isBilledByUse !== true ? coverBySubscription(end) : end;
}

/** Keeps the cost of a response open that is read again when it has ended. */
function leaveOpen(end: CallEnd, { runsOn = false }: ObservedResponse, { operation }: CallBegin): CallEnd {
  if (!runsOn || end.uncertainReason === null || !READ_LATER.has(end.uncertainReason)) return end;
  // What was seen of the answer says nothing about the cost of a batch.
  if (end.responseId === null) return operation === BATCHES ? { ...end, cost: null, provenance: null } : end;
  return { ...end, uncertainReason: 'background', cost: null, provenance: null };
}

/** Reasons that a whole response, read later, removes. */
const READ_LATER: ReadonlySet<UncertainReason> = new Set([
  'no_usage',
  'client_left',
  'reset',
  'timeout',
  'truncated',
  'unreadable',
  'overrun',
]);

/** Makes a call free that its client's subscription covers. Limits count its list price. */
function coverBySubscription(end: CallEnd): CallEnd {
  if (end.outcome === 'not_sent' || end.outcome === 'failed') return end;
  const priced = end.priced ?? (end.cost === null ? undefined : { list: end.cost, contracted: end.cost });
  return { ...end, cost: 0, ...(priced && { priced }), provenance: { from: 'subscription' } };
}

interface SettlePrices {
  readonly resolve: ResolveCard;
  readonly list: ResolveCard;
}

/** Adds the costs by prices where they may differ from the cost: a contract or the provider made it. */
function withPricedCosts(end: CallEnd, prices: SettlePrices): CallEnd {
  const isStated = end.provenance?.from === 'provider';
  if (!isStated && prices.resolve === prices.list) return end;
  if (end.cost === null || !end.usage || end.outcome === 'failed' || end.outcome === 'not_sent') return end;
  const priced = pricedCosts(end.usage, end.model ?? '', { cost: end.cost, isStated }, prices);
  return priced ? { ...end, priced } : end;
}

/**
 * Returns the costs of a usage by prices; null = they equal its cost. Where no price is known, the cost is used instead.
 * @param given its cost, and whether the provider stated that; otherwise contracted prices gave it
 */
export function pricedCosts(
  usage: Usage,
  model: string,
  { cost, isStated }: { readonly cost: number; readonly isStated: boolean },
  { resolve, list }: SettlePrices,
): PricedCosts | null {
  const contracted = isStated ? (priceUsage(usage, model, resolve).cost ?? cost) : cost;
  const listed = resolve === list ? contracted : (priceUsage(usage, model, list).cost ?? contracted);
  return listed === cost && contracted === cost ? null : { list: listed, contracted };
}

function settleCharged(begin: CallBegin, seen: ObservedResponse, resolve: ResolveCard): CallEnd {
  if (seen.stopped === 'not_sent') return toCallEnd(begin, seen, 'not_sent', null, { cost: 0, counted: NOTHING });
  if (seen.stopped === 'crash')
    return toCallEnd(begin, seen, 'lost', 'crash', { counted: narrowHold(begin, seen, resolve) });
  if (seen.status >= 300) return settleRefused(begin, seen, resolve);
  if (!seen.errored && seen.complete) return settleCompleted(begin, seen, resolve);
  const counted = widenHold(begin, seen, resolve);
  if (seen.errored) return toCallEnd(begin, seen, 'broken', 'error_event', { counted });
  if (seen.stopped === 'client_left') return settleClientLeft(begin, seen, counted, resolve);
  return toCallEnd(begin, seen, 'broken', seen.stopped ?? 'truncated', { counted });
}

/**
 * A refusal by the provider costs nothing. If a proxy on the way waited too long for it, the provider may have answered.
 * Hosts other than the provider's own may charge some refusals.
 */
function settleRefused(begin: CallBegin, seen: ObservedResponse, resolve: ResolveCard): CallEnd {
  if (seen.chargedRefusal === true) {
    const reason = seen.status === REQUEST_TIMEOUT ? 'timeout' : 'error_event';
    return toCallEnd(begin, seen, 'broken', reason, { counted: widenHold(begin, seen, resolve) });
  }
  return seen.errored || !GIVEN_UP.has(seen.status)
    ? toCallEnd(begin, seen, 'failed', null, { cost: 0, counted: NOTHING })
    : toCallEnd(begin, seen, 'broken', 'timeout', { counted: widenHold(begin, seen, resolve) });
}

function settleCompleted(begin: CallBegin, seen: ObservedResponse, resolve: ResolveCard): CallEnd {
  const { usage } = seen;
  if (!usage) return toCallEnd(begin, seen, 'completed', 'no_usage', { counted: begin.hold });
  const model = seen.model ?? begin.requestedModel ?? '';
  const priced = priceUsage(usage, model, resolve);
  const prices = fromPrices(priced.versions);
  const isStated = usage.statedCost !== undefined && !(prices !== null && hasCustomPrice(prices));
  const cost = isStated ? (usage.statedCost ?? null) : priced.cost;
  const provenance = isStated ? FROM_PROVIDER : prices;
  if (!isStated && cost !== null && lacksAsked(usage, model, seen.asked, resolve))
    return toCallEnd(begin, seen, 'completed', 'no_usage', { counted: widenHold(begin, seen, resolve) });
  const unsureReason = usage.openUses ? 'container_size' : !isStated && priced.lengthUnsure ? 'length_tier' : null;
  if (unsureReason !== null) {
    const counted = widenHold(begin, seen, resolve);
    return toCallEnd(begin, seen, 'completed', unsureReason, { cost, provenance, usageSource: 'counted', counted });
  }
  const tokens = totalTokens(usage);
  const otherBillingReason = usage.otherBilling ? 'other_billing' : null;
  const unlistedFee = isStated ? null : (seen.unlistedFee ?? (usage.hasUnlistedFee ? 0 : null));
  const billingReason = unlistedFee === null ? otherBillingReason : 'unlisted_fee';
  const usd = cost === null ? begin.hold.usd : cost + (unlistedFee ?? 0);
  return toCallEnd(begin, seen, 'completed', cost === null ? 'no_price' : billingReason, {
    cost,
    provenance,
    usageSource: 'reported',
    counted: { usd, inputTokens: inputTokens(tokens), outputTokens: outputTokens(tokens) },
  });
}

/** True if the request names a token class without a price that the usage doesn't list separately. */
function lacksAsked(
  usage: Usage,
  model: string,
  asked: readonly TokenClass[] | undefined,
  resolve: ResolveCard,
): boolean {
  if (asked === undefined || asked.length === 0) return false;
  const tokens = totalTokens(usage);
  const rates = resolve(usage.inferences[0]?.model ?? model)?.tiers[0]?.rates ?? {};
  return asked.some((name) => rates[name] === undefined && !tokens[name]);
}

/** The delivered part is estimated: the input as reported early or by length, the output by the text that was seen. */
function settleClientLeft(
  begin: CallBegin,
  seen: ObservedResponse,
  counted: CallAmounts,
  resolve: ResolveCard,
): CallEnd {
  const [early] = seen.usage?.inferences ?? [];
  const delivered = Math.ceil(seen.outputBytes / BYTES_PER_TOKEN);
  // Tokens can be long, and media is not text: never count more than the maximum.
  const guessed = Math.min(Math.ceil(seen.bodyBytes / BYTES_PER_TOKEN), begin.hold.inputTokens);
  const input = early ? early.tokens : { input: guessed };
  const output = Math.max(Math.min(delivered, begin.hold.outputTokens), early?.tokens.output ?? 0);
  const tokens = { ...input, output };
  const usage: Usage = {
    inferences: [{ model: early?.model ?? null, tokens, promptTokens: inputTokens(tokens) }],
    uses: seen.usage?.uses ?? {},
    thinking: 0,
    terms: seen.usage?.terms ?? NO_TERMS,
  };
  const { cost, versions } = priceUsage(usage, seen.model ?? begin.requestedModel ?? '', resolve);
  return toCallEnd(begin, { ...seen, usage }, 'client_left', 'client_left', {
    // An estimate never exceeds what limits count for the call.
    cost: cost !== null && counted.usd !== null ? Math.min(cost, counted.usd) : cost,
    provenance: fromPrices(versions),
    usageSource: 'counted',
    counted,
  });
}

/** A crash loses only the output's bound where the usage of the prompt, of a call of one pass, was noted before. */
function narrowHold(
  { hold, requestedModel }: CallBegin,
  { usage, model }: ObservedResponse,
  resolve: ResolveCard,
): CallAmounts {
  const [early] = usage?.inferences ?? [];
  if (!usage || !early || hold.usd === null) return hold;
  const answering = model ?? requestedModel ?? '';
  const card = resolve(early.model ?? answering);
  if (!card || leavesOpen(card, usage.terms)) return hold;
  const rates = card.tiers[0]?.rates ?? {};
  let usd = 0;
  for (const name of OUTPUT_CLASSES) {
    if (rates[name] === undefined) continue;
    const { output: _, outputAudio: _audio, outputImage: _image, ...prompt } = early.tokens;
    const tokens = { ...prompt, [name]: hold.outputTokens };
    const { cost } = priceUsage({ ...usage, inferences: [{ ...early, tokens }] }, answering, resolve);
    if (cost === null) return hold;
    usd = Math.max(usd, cost);
  }
  const input = early.promptTokens ?? hold.inputTokens;
  return usd === 0 ? hold : { ...hold, usd: Math.min(hold.usd, usd), inputTokens: Math.min(input, hold.inputTokens) };
}

/** The price may depend on terms at the missing end of the answer; the hold has the highest. */
function leavesOpen(card: RateCard, { speed, tier, geo }: ServiceTerms): boolean {
  const { speeds, tierMultipliers, geoMultipliers } = card;
  const said: readonly (readonly [string | null, object])[] = [
    [speed, speeds],
    [tier, tierMultipliers],
    [geo, geoMultipliers],
  ];
  return said.some(([word, priced]) => word === null && Object.keys(priced).length > 0);
}

/**
 * Returns the amounts of an uncertain call: its hold, or the usage reported so far where that is larger, each pass at
 * its longest.
 */
function widenHold(
  { hold, requestedModel }: CallBegin,
  { usage, model }: ObservedResponse,
  resolve: ResolveCard,
): CallAmounts {
  if (!usage) return hold;
  const tokens = totalTokens(usage);
  const inferences = usage.inferences.map((each) => ({
    ...each,
    promptTokens: each.promptTokens ?? inputTokens(each.tokens),
  }));
  const uses = addUses(usage.uses, usage.openUses);
  const { cost } = priceUsage({ ...usage, inferences, uses }, model ?? requestedModel ?? '', resolve);
  return {
    usd: hold.usd === null ? (usage.statedCost ?? cost) : Math.max(hold.usd, cost ?? 0, usage.statedCost ?? 0),
    inputTokens: Math.max(hold.inputTokens, inputTokens(tokens)),
    outputTokens: Math.max(hold.outputTokens, outputTokens(tokens)),
  };
}

function addUses(uses: UseCounts, more: UseCounts = NO_USES): UseCounts {
  const sum = { ...uses };
  for (const name of USE_CLASSES) if (more[name]) sum[name] = (sum[name] ?? 0) + more[name];
  return sum;
}

interface SettledAmounts {
  readonly cost?: number | null;
  readonly provenance?: CostProvenance | null;
  readonly counted: CallAmounts;
  readonly usageSource?: UsageSource;
}

function toCallEnd(
  begin: CallBegin,
  seen: ObservedResponse,
  outcome: CallOutcome,
  uncertainReason: UncertainReason | null,
  settled: SettledAmounts,
): CallEnd {
  return {
    callId: begin.callId,
    endedAt: seen.endedAt,
    outcome,
    uncertainReason,
    status: seen.status,
    usageSource: settled.usageSource ?? 'none',
    usage: seen.usage,
    model: seen.model ?? begin.requestedModel,
    cost: settled.cost ?? null,
    counted: settled.counted,
    provenance: settled.provenance ?? null,
    requestId: seen.requestId,
    responseId: seen.responseId,
    firstByteMs: seen.firstByteMs,
    ...(seen.errorType && outcome !== 'completed' && { errorType: seen.errorType }),
  };
}
