import { setImmediate } from 'node:timers/promises';
import { amountIn, countedIn } from '../domain/limits/counting.ts';
import { shownAmount } from '../domain/limits/limit-fields.ts';
import type { Limit, LimitUnit } from '../domain/limits/limit.ts';
import {
  countFitting,
  type HoldFigures,
  holdOfShortest,
  LimitReplay,
  type ReplayCounts,
  type ReplayedCall,
  summarizeHolds,
} from '../domain/limits/replay-limit.ts';
import type { Policy } from '../domain/policy/policy.ts';
import { OPEN_POLICY } from '../domain/policy/policy.ts';
import { toIso } from '../domain/time/period.ts';
import { DAY_MS } from '../domain/time/units.ts';
import { windowAt } from '../domain/time/window.ts';
import type { LimitPreview } from '../contract/limits.ts';
import type { Clock } from '../lib/clock.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import { readRefusedCalls } from './preview-refusals.ts';
import type { CounterStore, PricedAs } from '../storage/counter-store.ts';
import type { NewLimit } from '../storage/records/check-limit.ts';
import type { Records } from '../storage/records/records.ts';
import type { RefusalStore } from '../storage/refusal-store.ts';
import type { CallHold, UsageQueries } from '../storage/usage-queries.ts';

/** Length of the history that a preview replays. */
const HISTORY_MS = 7 * DAY_MS;
/** Entries of the workspace that one preview reads, in scope or not: the newest. */
const PREVIEW_ENTRIES_MAX = 50_000;
/** Calls that are replayed in one turn of the thread. */
const REPLAYED_AT_ONCE = 2_000;

export interface PreviewServices {
  readonly clock: Clock;
  readonly records: Records;
  readonly reports: UsageQueries;
  readonly refusals: Pick<RefusalStore, 'page'>;
  readonly counters: Pick<CounterStore, 'recount'>;
  readonly prices: Pick<PriceBook, 'resolve'>;
  readonly providers: ReadonlyMap<string, Provider>;
}

/** Replays the last seven days under a limit that need not exist. */
export async function previewLimit(
  input: NewLimit,
  zones: Limit['zones'],
  services: PreviewServices,
): Promise<LimitPreview> {
  const { scope, unit, amount, window, action, workspaceId } = input;
  const until = services.clock();
  const range = { start: until - HISTORY_MS, end: until };
  const pricedAs = findPricedAs(services, workspaceId);
  const { calls, from } = await services.reports.callHolds(workspaceId, {
    range,
    scope,
    pricedAs,
    entriesMax: PREVIEW_ENTRIES_MAX,
  });
  const toReplayed = await readTerms(input, services);
  const counted = await sumCountedBefore(input, zones, calls[0]?.startedAt ?? from, services);
  const effect = await replayCalls(calls, toReplayed, new LimitReplay({ amount, window, zones, counted }));
  const holds = summarizeHolds(
    calls.flatMap(({ hold }) => (unit === 'usd' && hold.usd === null ? [] : [amountIn(unit, hold)])),
  );
  return {
    scope,
    unit,
    amount: shownAmount(unit, amount),
    window,
    action,
    history: {
      from: toIso(from),
      until: toIso(until),
      isComplete: from === range.start,
      calls: calls.length,
      unpricedCalls: unit === 'usd' ? calls.filter(({ hold }) => hold.usd === null).length : 0,
    },
    holds: holds && shownHolds(unit, holds),
    fitAtOnce: holds && fittingCalls(amount, holds),
    effect: calls.length === 0 ? null : shownEffect(effect),
    refusedCalls: await readRefusedCalls(input, { start: from, end: until }, services.refusals, pricedAs),
  };
}

function shownHolds(unit: LimitUnit, { median, p95, max }: HoldFigures): NonNullable<LimitPreview['holds']> {
  return { median: shownAmount(unit, median), p95: shownAmount(unit, p95), max: shownAmount(unit, max) };
}

function fittingCalls(amount: number, { median, p95, max }: HoldFigures): NonNullable<LimitPreview['fitAtOnce']> {
  return { median: countFitting(amount, median), p95: countFitting(amount, p95), max: countFitting(amount, max) };
}

function shownEffect({ refused, shortened, waited }: ReplayCounts): NonNullable<LimitPreview['effect']> {
  return { refused, shortened, waited };
}

function findPricedAs({ prices, providers, clock }: PreviewServices, workspaceId: string): PricedAs {
  return (provider, model) =>
    prices.resolve(workspaceId, providers.get(provider)?.priceProvider ?? provider, model, clock())?.model ?? null;
}

type ToReplayedCall = (call: CallHold) => ReplayedCall;

/** Returns the conversion of calls to those of the replay, by the current policies of their keys. */
async function readTerms({ unit, workspaceId }: NewLimit, services: PreviewServices): Promise<ToReplayedCall> {
  const keys = await services.records.keys.list(workspaceId);
  const policies = new Map(keys.map(({ id, policy }) => [id, policy]));
  return (call) => {
    const { startedAt, endedAt, values, hold, counted } = call;
    const policy = policies.get(call.keyId) ?? OPEN_POLICY;
    const terms = {
      minOutputTokens: policy.whenOverLimit === 'shorten' ? policy.minOutputTokens : null,
      outputPrice: unit === 'usd' ? findOutputPrice(call, workspaceId, services) : null,
    };
    return {
      startedAt,
      endedAt,
      values,
      hold: holdUnder(unit, call, policy),
      counted: countedIn(unit, { outcome: 'completed', counted }),
      shortest: holdOfShortest(unit, hold, terms),
    };
  };
}

function holdUnder(unit: LimitUnit, { hold }: CallHold, { unpricedModels }: Policy): number | null {
  return unit === 'usd' && hold.usd === null && unpricedModels === 'refuse' ? null : amountIn(unit, hold);
}

/** Returns the list price of an output token, which is never above the one in the hold. */
function findOutputPrice(
  { provider, requestedModel, hold, startedAt }: CallHold,
  workspaceId: string,
  { prices, providers }: PreviewServices,
): number | null {
  if (requestedModel === null) return null;
  const priceProvider = providers.get(provider)?.priceProvider ?? provider;
  const card = prices.resolve(workspaceId, priceProvider, requestedModel, startedAt);
  return card?.tiers.findLast(({ above }) => hold.inputTokens > above)?.rates.output ?? null;
}

/** Sums what was counted in the window of the first call before that call. */
async function sumCountedBefore(
  input: NewLimit,
  zones: Limit['zones'],
  firstAt: number,
  services: PreviewServices,
): Promise<ReadonlyMap<string, number>> {
  const { start } = windowAt(input.window, firstAt, zones);
  if (input.unit === 'concurrency' || start >= firstAt) return new Map();
  const limit: Limit = { ...input, id: '', counter: 0, raise: null, zones, countsPast: true };
  const pricedAs = findPricedAs(services, input.workspaceId);
  const { expected } = await services.counters.recount(limit, { start, end: firstAt }, pricedAs);
  return new Map(expected.map(({ value, counted }) => [value, Number(counted)]));
}

/** Replays in turns: other requests are served between two. */
async function replayCalls(
  calls: readonly CallHold[],
  toReplayed: ToReplayedCall,
  replay: LimitReplay,
): Promise<ReplayCounts> {
  for (const [index, call] of calls.entries()) {
    replay.add(toReplayed(call));
    if (index % REPLAYED_AT_ONCE === REPLAYED_AT_ONCE - 1) await setImmediate();
  }
  return replay.finish();
}
