import type { LocalCall, LocalSource } from './local-call.ts';
import { addWhole, PICO_PER_NANO, type WholeAmount } from '../money/money.ts';
import type { RateCard } from '../pricing/price.ts';
import { exactCost } from '../pricing/price-record.ts';
import { priceLines, type PriceLine, type ResolveCard, roundToNano, sumLines } from '../pricing/pricing.ts';
import { lengthStep, type ShareTerms, shareTerms } from '../pricing/record-terms.ts';
import {
  recordParts,
  RECORD_MODEL,
  type RecordShare,
  type RecordTokens,
  ROUNDING_PICO_MAX,
  type SessionRecord,
  UNNAMED_MODEL,
} from './session-record.ts';
import {
  CACHE_READ_CLASSES,
  CACHE_WRITE_CLASSES,
  type Inference,
  INPUT_CLASSES,
  OUTPUT_CLASSES,
  type ServiceTerms,
  sumClasses,
  type TokenCounts,
} from '../usage/usage.ts';
import { HOUR_MS } from '../time/units.ts';

/** Settings for building records from calls. */
export interface RecordOptions {
  /** The hashed ids. */
  readonly sessionId: (call: LocalCall) => string;
  readonly projectId: (call: LocalCall) => string;
  /** The price of a model at the time of the call; null = none is known. */
  readonly cardOf: (call: LocalCall, model: string) => RateCard | null;
  /** Length of time in one record, ms. Default: one hour. */
  readonly spanMs?: number;
}

/**
 * Sums calls by session, model and hour; a price that changes within the hour begins another record. The result does
 * not depend on the order of the calls.
 */
export function buildSessionRecords(calls: Iterable<LocalCall>, options: RecordOptions): SessionRecord[] {
  const drafted: RecordDrafts = { drafts: new Map(), sessions: new Map(), options };
  for (const call of calls) addCall(drafted, call);
  return [...drafted.drafts.values()].map(toRecord).toSorted(inOrder);
}

function inOrder(a: SessionRecord, b: SessionRecord): number {
  return (
    compareText(a.sessionId, b.sessionId) || compareText(a.model, b.model) || compareText(a.timestamp, b.timestamp)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

interface RecordDrafts {
  readonly drafts: Map<string, RecordDraft>;
  readonly sessions: Map<string, DraftSession>;
  readonly options: RecordOptions;
}

/** A session belongs to the project of its first call. */
interface DraftSession {
  readonly sessionId: string;
  projectId: string;
  first: number;
}

interface RecordDraft {
  readonly source: LocalSource;
  readonly session: DraftSession;
  readonly model: string;
  readonly card: RateCard | null;
  first: number;
  calls: number;
  webSearches: number;
  /** nano-USD: what its calls cost, each rounded by itself. */
  cost: WholeAmount;
  readonly shares: Map<string, DraftShare>;
}

interface DraftShare {
  readonly terms: ShareTerms;
  /** The shortest prompt. */
  promptTokens: number;
  /** Usage in the shortest length tier. */
  readonly isShort: boolean;
  calls: number;
  readonly tokens: TokenSums;
}
type TokenSums = { -readonly [Name in keyof Required<RecordTokens>]: number };

function addCall(drafted: RecordDrafts, call: LocalCall): void {
  const session = findDraftSession(drafted, call);
  const resolve: ResolveCard = (model) => drafted.options.cardOf(call, model);
  const unpriced = unpricedParts(call, resolve);
  const costs = costByModel(call, resolve, unpriced);
  const { inferences, terms, uses } = call.usage;
  const models = new Set([call.model, ...inferences.map(({ model }) => model ?? call.model)]);
  for (const model of models) {
    const draft = findRecordDraft(drafted, session, call, model, resolve(model));
    draft.first = Math.min(draft.first, call.at);
    draft.cost = addWhole(draft.cost, costs.get(model) ?? 0);
    const own = inferences.filter((inference) => (inference.model ?? call.model) === model);
    const shares = own.map((inference) => addInference(draft, inference, terms));
    if (model !== call.model) continue;
    draft.calls += 1;
    if (!unpriced.has(SEARCHES)) draft.webSearches += uses.webSearch ?? 0;
    const [share] = shares;
    if (share) share.calls += 1;
  }
}

function findDraftSession({ sessions, options }: RecordDrafts, call: LocalCall): DraftSession {
  const sessionId = options.sessionId(call);
  const projectId = options.projectId(call);
  let session = sessions.get(sessionId);
  if (!session) sessions.set(sessionId, (session = { sessionId, projectId, first: call.at }));
  const isFirst = call.at < session.first || (call.at === session.first && projectId < session.projectId);
  if (isFirst) Object.assign(session, { projectId, first: call.at });
  return session;
}

function findRecordDraft(
  { drafts, options }: RecordDrafts,
  session: DraftSession,
  { at, source }: LocalCall,
  model: string,
  card: RateCard | null,
): RecordDraft {
  const span = Math.floor(at / (options.spanMs ?? HOUR_MS));
  const key = JSON.stringify([session.sessionId, source, model, span, card?.version]);
  let draft = drafts.get(key);
  if (!draft) {
    draft = { source, session, model, card, first: at, calls: 0, webSearches: 0, cost: 0, shares: new Map() };
    drafts.set(key, draft);
  }
  return draft;
}

/** Adds the tokens of one pass to the share with its terms and prompt length. */
function addInference(draft: RecordDraft, { tokens, promptTokens }: Inference, terms: ServiceTerms): DraftShare {
  const words = shareTerms(terms);
  // At another speed a prompt's length changes nothing.
  const prompt = words.speed ? 0 : (promptTokens ?? 0);
  const step = promptStep(draft.card, prompt);
  const key = JSON.stringify([words.speed, words.tier, words.geo, step]);
  let share = draft.shares.get(key);
  if (!share) {
    share = { terms: words, promptTokens: prompt, isShort: step < 0, calls: 0, tokens: noTokens() };
    draft.shares.set(key, share);
  }
  share.promptTokens = Math.min(share.promptTokens, prompt);
  addTokens(share.tokens, tokens);
  return share;
}

/** The step that a prompt's length tier begins above; negative = the shortest. */
function promptStep(card: RateCard | null, promptTokens: number): number {
  if (!card) return lengthStep(promptTokens) || -1;
  return card.tiers.findLast(({ above }) => promptTokens > above)?.above ?? -1;
}

function noTokens(): TokenSums {
  return { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, cacheCreation1hTokens: 0 };
}

function addTokens(sum: TokenSums, tokens: TokenCounts): void {
  sum.inputTokens += sumClasses(tokens, INPUT_CLASSES);
  sum.outputTokens += sumClasses(tokens, OUTPUT_CLASSES);
  sum.cacheReadTokens += sumClasses(tokens, CACHE_READ_CLASSES);
  sum.cacheCreationTokens += sumClasses(tokens, CACHE_WRITE_CLASSES);
  sum.cacheCreation1hTokens += tokens.cacheWrite1h ?? 0;
}

function addRecorded(sum: TokenSums, tokens: TokenSums): void {
  sum.inputTokens += tokens.inputTokens;
  sum.outputTokens += tokens.outputTokens;
  sum.cacheReadTokens += tokens.cacheReadTokens;
  sum.cacheCreationTokens += tokens.cacheCreationTokens;
  sum.cacheCreation1hTokens += tokens.cacheCreation1hTokens;
}

/**
 * Returns the cost of a call by model, in nano-USD, rounded so that the parts add up to the cost of the call. Parts
 * without a price are left out.
 */
function costByModel(call: LocalCall, resolve: ResolveCard, unpriced: ReadonlySet<CallPart>): Map<string, WholeAmount> {
  const { lines } = priceLines(call.usage, call.model, resolve);
  const costs = new Map<string, WholeAmount>();
  const before: PriceLine[] = [];
  for (const [model, own] of Map.groupBy(lines, (line) => line.model)) {
    const sumBefore = before.length > 0 ? roundToNano(sumLines(before)) : 0;
    before.push(...own.filter(({ inference }) => !unpriced.has(inference)));
    costs.set(model, Number(BigInt(before.length > 0 ? roundToNano(sumLines(before)) : 0) - BigInt(sumBefore)));
  }
  return costs;
}

/** A pass by its place, or what is charged by use. */
type CallPart = number | typeof SEARCHES;
const SEARCHES = null;
const NOTHING: ReadonlySet<CallPart> = new Set();

/**
 * Returns the unpriced parts of a call. A pass with one unpriced class is not charged, and then searches are not charged
 * either. Calls of a model without any price are still reported, because the service may have a price.
 */
function unpricedParts(call: LocalCall, resolve: ResolveCard): ReadonlySet<CallPart> {
  const { usage, model } = call;
  const { missing } = priceLines(usage, model, resolve);
  if (missing === null) return NOTHING;
  const isPriced = (inference: Inference): boolean =>
    priceLines({ ...usage, inferences: [inference], uses: {} }, model, resolve).missing === null;
  const passes = new Set<CallPart>(
    usage.inferences.flatMap((inference, index) => (isPriced(inference) ? [] : [index])),
  );
  return passes.size > 0 && resolve(model) !== null ? passes.add(SEARCHES) : passes;
}
function toRecord(draft: RecordDraft): SessionRecord {
  const total = noTokens();
  const shares = [...draft.shares.values()];
  for (const { tokens } of shares) addRecorded(total, tokens);
  const others = shares.filter(({ terms, isShort }) => !isShort || Object.keys(terms).length > 0);
  const record: SessionRecord = {
    sessionId: draft.session.sessionId,
    projectId: draft.session.projectId,
    model: RECORD_MODEL.test(draft.model) ? draft.model : UNNAMED_MODEL,
    ...toRecordTokens(total),
    timestamp: new Date(draft.first).toISOString(),
    calls: draft.calls,
    ...(draft.webSearches > 0 && { webSearches: draft.webSearches }),
    ...(others.length > 0 && { shares: others.map(toShare).toSorted(compareShares) }),
  };
  const roundingPico = recordRounding(draft, record);
  return roundingPico === 0 ? record : { ...record, roundingPico };
}

function toRecordTokens({ cacheCreation1hTokens, ...tokens }: TokenSums): RecordTokens {
  return cacheCreation1hTokens > 0 ? { ...tokens, cacheCreation1hTokens } : tokens;
}

function toShare({ terms, isShort, promptTokens, calls, tokens }: DraftShare): RecordShare {
  return { ...terms, ...(!isShort && { promptTokens }), ...(calls > 0 && { calls }), ...toRecordTokens(tokens) };
}

function compareShares(a: RecordShare, b: RecordShare): number {
  return compareText(JSON.stringify(a), JSON.stringify(b));
}

function recordRounding({ source, card, cost }: RecordDraft, record: SessionRecord): number {
  const parts = recordParts(record, source);
  const { exact } = exactCost({ parts, webSearches: record.webSearches ?? 0 }, record.model, () => card);
  const den = BigInt(exact.den);
  const added = (BigInt(cost) * BigInt(PICO_PER_NANO) * den - BigInt(exact.pico)) / den;
  return added > ROUNDING_PICO_MAX || added < -ROUNDING_PICO_MAX ? 0 : Number(added);
}
