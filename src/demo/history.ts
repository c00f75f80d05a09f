import { hash } from 'node:crypto';
import { sessionText } from '../domain/sessions/local-call.ts';
import type { CallBegin, Entry } from '../domain/usage/call.ts';
import { NO_DEMAND } from '../domain/limits/demand.ts';
import { boundCall } from '../domain/limits/cost-bound.ts';
import { OPEN_POLICY } from '../domain/policy/policy.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import { type ObservedResponse, settleCall } from '../domain/usage/settle.ts';
import { NO_TERMS, type Usage } from '../domain/usage/usage.ts';
import type { ProviderName } from './answers/answer.ts';
import { createIdSource } from '../lib/crypto/id.ts';
import { DemoSessions } from './sessions.ts';
import {
  OUTPUT_TOKENS_MAX,
  pickTags,
  pickModel,
  pickTeam,
  type RandomSource,
  spread,
  type DemoTeam,
  TEAMS,
} from './teams.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';

export interface HistoryOptions {
  readonly workspaceId: string;
  /** Id of the wrapped key by the name of its team. */
  readonly keyIds: ReadonlyMap<string, string>;
  /** Epoch ms; the history ends here. */
  readonly now: number;
  readonly random: RandomSource;
  readonly resolvePrice: (provider: string, model: string, atMs: number) => RateCard | null;
}

/** The only method of a store that seeding needs. */
export interface HistorySink {
  append(batch: { journalId: string; mark: number; entries: readonly Entry[] }): Promise<unknown>;
}

const DAYS = 100;
const BATCH_ENTRIES = 500;
const CALLS_PER_HOUR = 6;
const WEEKEND_FACTOR = 0.35;
/** Growth of traffic from the first to the last day, as a share of the first day. */
const GROWTH = 0.6;
/** One evening a loop of the coding agents ran wild: a spike for the reports to show. */
const SPIKE = { daysAgo: 9, hour: 19, factor: 12, team: 'Coding agents' };
const FAILED_SHARE = 0.015;
/** Answers of overloaded providers. */
export const FAILURES: Readonly<Record<ProviderName, { readonly status: number; readonly type: string }>> = {
  anthropic: { status: 529, type: 'overloaded_error' },
  google: { status: 503, type: 'UNAVAILABLE' },
  openai: { status: 503, type: 'server_error' },
};
const LEFT_SHARE = 0.01;
const BYTES_PER_TOKEN = 4;
const FIRST_BYTE_MS = 900;
const EMBEDDING_MS = 180;
/** Time per output token. */
const MS_PER_TOKEN = 3;

/** Appends 100 days of made-up calls. Returns how many. */
export async function seedHistory(sink: HistorySink, options: HistoryOptions): Promise<number> {
  let mark = 0;
  let entries: Entry[] = [];
  const flush = async () => {
    mark += entries.length;
    if (entries.length > 0) await sink.append({ journalId: 'demo-history', mark, entries });
    entries = [];
  };
  for (const entry of demoHistory(options)) {
    entries.push(entry);
    if (entries.length === BATCH_ENTRIES) await flush();
  }
  await flush();
  return mark;
}

/** The made-up calls, oldest first. */
export function* demoHistory(options: HistoryOptions): Generator<Entry> {
  const { now, random } = options;
  const sessions = new DemoSessions(random);
  let at = now - DAYS * DAY_MS;
  const nextId = createIdSource('call', () => at);
  for (;;) {
    // Gaps between independent calls are exponential.
    const next = at + Math.ceil((-Math.log(1 - random()) * HOUR_MS) / callsPerHour(at, now));
    // No pause of a quiet evening passes over the spike.
    at = at < spikeHour(now) ? Math.min(next, spikeHour(now)) : next;
    if (at >= now) return;
    yield pastCall(options, sessions, nextId(), at);
  }
}

/** Returns the UTC hour of the spike, epoch ms. */
export function spikeHour(now: number): number {
  return (Math.floor(now / DAY_MS) - SPIKE.daysAgo) * DAY_MS + SPIKE.hour * HOUR_MS;
}

function isSpike(at: number, now: number): boolean {
  return at - (at % HOUR_MS) === spikeHour(now);
}

/** Returns the usual number of calls at an hour of the history. */
export function callsPerHour(at: number, now: number): number {
  const date = new Date(at);
  const daytime = 0.25 + Math.max(0, Math.sin(((date.getUTCHours() - 6) / 14) * Math.PI)) * 1.6;
  const weekend = date.getUTCDay() % 6 === 0 ? WEEKEND_FACTOR : 1;
  const growth = 1 + GROWTH * (1 - (now - at) / (DAYS * DAY_MS));
  if (isSpike(at, now)) return CALLS_PER_HOUR * SPIKE.factor;
  return CALLS_PER_HOUR * daytime * weekend * growth;
}

function pastCall(options: HistoryOptions, sessions: DemoSessions, callId: string, startedAt: number): Entry {
  const { random, now } = options;
  const looping = isSpike(startedAt, now) ? TEAMS.find(({ name }) => name === SPIKE.team) : undefined;
  const team = looping ?? pickTeam(random);
  const model = pickModel(team, random);
  const resolve = (name: string) => options.resolvePrice(team.provider, name, startedAt);
  const usage = pastUsage(team, random);
  const card = resolve(model);
  const bodyBytes = (usage.inferences[0]?.promptTokens ?? 0) * BYTES_PER_TOKEN;
  const context = sessions.nextContext(team);
  const begin: CallBegin = {
    callId,
    workspaceId: options.workspaceId,
    keyId: options.keyIds.get(team.name) ?? '',
    provider: team.provider,
    operation: team.operation,
    requestedModel: model,
    stream: team.streams,
    tags: { ...team.tags, ...pickTags(team, random) },
    sessionHash: context.session === null ? null : hash('sha256', sessionText('claude_code', context.session)),
    context,
    shortenedTo: null,
    startedAt,
    hold: boundCall(
      { ...NO_DEMAND, textBytes: bodyBytes, outputMax: OUTPUT_TOKENS_MAX },
      [{ cards: card ? [card] : [], outputMax: null }],
      OPEN_POLICY,
    ).hold,
    touched: [],
  };
  const end = settleCall(begin, observed(begin, usage, bodyBytes, random), resolve);
  return { ...begin, ...end, source: 'proxy' };
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

function pastUsage(team: DemoTeam, random: RandomSource): Usage {
  const promptTokens = Math.max(1, spread(team.inputTokens, random));
  const cacheRead = Math.floor(promptTokens * team.cachedShare);
  const output = Math.min(OUTPUT_TOKENS_MAX, spread(team.outputTokens, random));
  const tokens = {
    input: promptTokens - cacheRead,
    ...(cacheRead > 0 ? { cacheRead } : {}),
    ...(output > 0 ? { output } : {}),
  };
  return { inferences: [{ model: null, tokens, promptTokens }], uses: {}, thinking: 0, terms: NO_TERMS };
}
