import { hash } from 'node:crypto';
import { sessionText } from '../domain/sessions/local-call.ts';
import type { CallAmounts, CallBegin, Entry } from '../domain/usage/call.ts';
import { NO_DEMAND } from '../domain/limits/demand.ts';
import { boundCall } from '../domain/limits/cost-bound.ts';
import { OPEN_POLICY } from '../domain/policy/policy.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import { type ObservedResponse, settleCall } from '../domain/usage/settle.ts';
import { NO_TERMS, type Usage } from '../domain/usage/usage.ts';
import type { ProviderName } from './answers/answer.ts';
import { createIdSource } from '../lib/crypto/id.ts';
import { type FinishedCall, isRefused, type RefusedCall } from '../domain/usage/refused-call.ts';
import { SessionBudget, type SessionLimit } from './session-budget.ts';
import { DemoSessions, type PlannedSession, type SessionCall } from './sessions.ts';
import {
  EMBEDDING_MS,
  FIRST_BYTE_MS,
  MS_PER_TOKEN,
  OUTPUT_TOKENS_MAX,
  pickTags,
  pickModel,
  pickTeam,
  type RandomSource,
  spread,
  type DemoTeam,
  AGENTS_TEAM,
} from './teams.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/time/units.ts';

export interface HistoryOptions {
  readonly workspaceId: string;
  /** Id of the wrapped key by the name of its team. */
  readonly keyIds: ReadonlyMap<string, string>;
  /** null = none. */
  readonly sessionLimit: SessionLimit | null;
  /** Epoch ms; the history ends here. */
  readonly now: number;
  readonly random: RandomSource;
  readonly resolvePrice: (provider: string, model: string, atMs: number) => RateCard | null;
}

/** The only method of a store that seeding needs. */
export interface HistorySink {
  append(batch: {
    journalId: string;
    mark: number;
    entries: readonly Entry[];
    refused: readonly RefusedCall[];
  }): Promise<unknown>;
}

const DAYS = 100;
const BATCH_ENTRIES = 2_000;
const CALLS_PER_HOUR = 9;
const WEEKEND_FACTOR = 0.35;
/** Growth of traffic from the first to the last day, as a share of the first day. */
const GROWTH = 0.6;
/** On a Tuesday a session of the coding agents ran in a loop: a spike for the reports to show. */
const SPIKE = { weekday: 2, daysAgoMin: 3, hour: 14, calls: 110 };
const DAYS_OF_WEEK = 7;
/** Time from the spike to the limit on each session, which people created then. */
const LIMIT_AFTER_MS = 20 * HOUR_MS;
/** A session that uses up its budget, and is refused today. */
const LONG_SESSION = { calls: 56, everyMs: 38 * MINUTE_MS, refusedLast: 3, refusedEveryMs: 9 * MINUTE_MS };
const FAILED_SHARE = 0.015;
/** Answers of overloaded providers. */
export const FAILURES: Readonly<Record<ProviderName, { readonly status: number; readonly type: string }>> = {
  anthropic: { status: 529, type: 'overloaded_error' },
  google: { status: 503, type: 'UNAVAILABLE' },
  openai: { status: 503, type: 'server_error' },
};
const LEFT_SHARE = 0.01;
const BYTES_PER_TOKEN = 4;

/** Appends 100 days of made-up calls. Returns refused ones, oldest first. */
export async function seedHistory(sink: HistorySink, options: HistoryOptions): Promise<RefusedCall[]> {
  let mark = 0;
  let entries: Entry[] = [];
  let refused: RefusedCall[] = [];
  const allRefused: RefusedCall[] = [];
  const flush = async () => {
    mark += entries.length + refused.length;
    await sink.append({ journalId: 'demo-history', mark, entries, refused });
    allRefused.push(...refused);
    [entries, refused] = [[], []];
  };
  for (const call of demoHistory(options)) {
    if (isRefused(call)) refused.push(call);
    else entries.push(call);
    if (entries.length === BATCH_ENTRIES) await flush();
  }
  await flush();
  return allRefused;
}

/** The made-up calls, oldest first. */
export function* demoHistory(options: HistoryOptions): Generator<FinishedCall> {
  const { now, random } = options;
  const sessions = new DemoSessions(random);
  const budget = options.sessionLimit && new SessionBudget(options.sessionLimit);
  let at = now - DAYS * DAY_MS;
  const nextId = createIdSource('call', () => at);
  for (const time of historyTimes(now, random)) {
    at = time.at;
    const team = time.session === null ? pickTeam(random) : AGENTS_TEAM;
    const session = time.session === null ? sessions.next(team) : sessions.nextOf(time.session, team);
    if (session === null) continue;
    const call = pastCall(options, budget, { team, session, callId: nextId(), startedAt: at });
    if (isRefused(call)) sessions.noteRefusal(call.context.session);
    yield call;
  }
}

interface CallTime {
  readonly at: number;
  /** The planned session that makes the call; null = any team. */
  readonly session: PlannedSession | null;
}

/** Yields the times of calls: at the pace of people, and of sessions that are planned. */
function* historyTimes(now: number, random: RandomSource): Generator<CallTime> {
  const planned = plannedTimes(now);
  for (let at = now - DAYS * DAY_MS; ;) {
    // Gaps between independent calls are exponential.
    at += Math.ceil((-Math.log(1 - random()) * HOUR_MS) / callsPerHour(at, now));
    for (let next = planned[0]; next && next.at < Math.min(at, now); next = planned[0]) {
      yield next;
      planned.shift();
    }
    if (at >= now) return;
    yield { at, session: null };
  }
}

function plannedTimes(now: number): CallTime[] {
  const { calls, everyMs, refusedLast, refusedEveryMs } = LONG_SESSION;
  const last = now - refusedLast * refusedEveryMs;
  const today = now - (now % DAY_MS);
  const spike = Array.from({ length: SPIKE.calls }, (_, index) => spikeHour(now) + (index * HOUR_MS) / SPIKE.calls);
  const long = Array.from({ length: calls }, (_, index) => last - (calls - index) * everyMs);
  const refused = Array.from({ length: refusedLast }, (_, index) => Math.max(today, last + index * refusedEveryMs));
  return [
    ...spike.map((at) => ({ at: Math.floor(at), session: 'looping' as const })),
    ...long.map((at) => ({ at, session: 'long' as const })),
    ...refused.map((at) => ({ at, session: 'refused' as const })),
  ];
}

/** Returns the UTC hour of the spike, epoch ms. */
export function spikeHour(now: number): number {
  const day = Math.floor(now / DAY_MS) - SPIKE.daysAgoMin;
  const daysBack = (new Date(day * DAY_MS).getUTCDay() - SPIKE.weekday + DAYS_OF_WEEK) % DAYS_OF_WEEK;
  return (day - daysBack) * DAY_MS + SPIKE.hour * HOUR_MS;
}

/** Returns the time at which people set a limit on each session. */
export function sessionLimitTime(now: number): number {
  return spikeHour(now) + LIMIT_AFTER_MS;
}

/** Returns the usual number of calls at an hour of the history. */
export function callsPerHour(at: number, now: number): number {
  const date = new Date(at);
  const daytime = 0.25 + Math.max(0, Math.sin(((date.getUTCHours() - 6) / 14) * Math.PI)) * 1.6;
  const weekend = date.getUTCDay() % 6 === 0 ? WEEKEND_FACTOR : 1;
  const growth = 1 + GROWTH * (1 - (now - at) / (DAYS * DAY_MS));
  return CALLS_PER_HOUR * daytime * weekend * growth;
}

interface PastCallParts {
  readonly team: DemoTeam;
  readonly session: SessionCall;
  readonly callId: string;
  readonly startedAt: number;
}

function pastCall(options: HistoryOptions, budget: SessionBudget | null, parts: PastCallParts): FinishedCall {
  const { random, now } = options;
  const { team, startedAt } = parts;
  const model = pickModel(team, now - startedAt, random);
  const promptTokens = Math.max(1, spread(team.inputTokens, random));
  const bodyBytes = promptTokens * BYTES_PER_TOKEN;
  const resolve = (name: string) => options.resolvePrice(team.provider, name, startedAt);
  const hold = (outputMax: number): CallAmounts => pastHold(resolve(model), bodyBytes, outputMax);
  const asked = beginCall(options, parts, model, hold(OUTPUT_TOKENS_MAX));
  const begin = budget?.admit(asked, hold) ?? asked;
  if ('limitId' in begin) return begin;
  const outputMax = begin.shortenedTo?.outputTokens ?? OUTPUT_TOKENS_MAX;
  const usage = pastUsage(team, promptTokens, outputMax, random);
  const end = settleCall(begin, observed(begin, usage, bodyBytes, random), resolve);
  budget?.count(begin, end);
  return { ...begin, ...end, source: 'proxy' };
}

function pastHold(card: RateCard | null, textBytes: number, outputMax: number): CallAmounts {
  const models = [{ cards: card ? [card] : [], outputMax: null }];
  return boundCall({ ...NO_DEMAND, textBytes, outputMax }, models, OPEN_POLICY).hold;
}

function beginCall(options: HistoryOptions, parts: PastCallParts, model: string, hold: CallAmounts): CallBegin {
  const { team, session, callId, startedAt } = parts;
  const { context, user } = session;
  return {
    callId,
    workspaceId: options.workspaceId,
    keyId: options.keyIds.get(team.name) ?? '',
    provider: team.provider,
    operation: team.operation,
    requestedModel: model,
    stream: team.streams,
    tags: { ...team.tags, ...pickTags(team, user, options.random) },
    sessionHash: context.session === null ? null : hash('sha256', sessionText('claude_code', context.session)),
    context,
    shortenedTo: null,
    startedAt,
    hold,
    touched: [],
  };
}

/** Most calls complete, some fail, and now and then a client leaves. */
function observed(begin: CallBegin, usage: Usage, bodyBytes: number, random: RandomSource): ObservedResponse {
  const failed = random() < FAILED_SHARE;
  const left = !failed && begin.stream && random() < LEFT_SHARE;
  const output = usage.inferences[0]?.tokens.output ?? 0;
  const outputBytes = output * BYTES_PER_TOKEN;
  const firstByteMs = spread(output > 0 ? FIRST_BYTE_MS : EMBEDDING_MS, random);
  return {
    endedAt: begin.startedAt + firstByteMs + (failed ? 0 : Math.round(output * MS_PER_TOKEN)),
    status: failed ? FAILURES[begin.provider as ProviderName].status : 200,
    stopped: left ? 'client_left' : null,
    complete: !failed && !left,
    errored: failed,
    errorType: failed ? FAILURES[begin.provider as ProviderName].type : null,
    usage: failed ? null : usage,
    outputBytes,
    bodyBytes,
    model: failed ? null : begin.requestedModel,
    requestId: `req_${begin.callId}`,
    responseId: failed ? null : `resp_${begin.callId}`,
    firstByteMs,
  };
}

function pastUsage(team: DemoTeam, promptTokens: number, outputMax: number, random: RandomSource): Usage {
  const cacheRead = Math.floor(promptTokens * team.cachedShare);
  const output = Math.min(outputMax, spread(team.outputTokens, random));
  const tokens = {
    input: promptTokens - cacheRead,
    ...(cacheRead > 0 ? { cacheRead } : {}),
    ...(output > 0 ? { output } : {}),
  };
  return { inferences: [{ model: null, tokens, promptTokens }], uses: {}, thinking: 0, terms: NO_TERMS };
}
