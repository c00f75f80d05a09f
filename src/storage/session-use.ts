import type { Entry } from '../domain/usage/call.ts';
import { lengthStep, shareTerms } from '../domain/pricing/record-terms.ts';
import { PART_CLASSES } from '../domain/sessions/session-record.ts';
import {
  CACHE_READ_CLASSES,
  type Inference,
  INPUT_CLASSES,
  OUTPUT_CLASSES,
  sumClasses,
  type Usage,
} from '../domain/usage/usage.ts';
import { floor } from './range-segments.ts';
import { HOUR_MS } from '../domain/time/units.ts';

/** Countable parts of a session's use. Records don't distinguish `cacheWrite` and `cacheWrite5m`. */
export const USED_ITEMS = [...PART_CLASSES, 'webSearch', 'calls'] as const;
export type UsedItem = (typeof USED_ITEMS)[number];
export type UsedCounts = Readonly<Record<UsedItem, number>>;

/** Use of one model on equal terms in one UTC hour of a session, by calls through the gateway. */
export interface SessionUse {
  readonly start: number;
  readonly provider: string;
  /** The answering model, and the requested one. */
  readonly model: string;
  readonly requested: string;
  /** Terms as in record shares; '' = ordinary. */
  readonly speed: string;
  readonly tier: string;
  readonly geo: string;
  /** The length step that the prompts exceed; 0 = none. */
  readonly step: number;
  readonly used: UsedCounts;
}

/** Returns the use that an entry adds to its session; empty if it was not sent or has no usage. */
export function sessionUses(entry: Entry): SessionUse[] {
  const { usage, model } = entry;
  if (entry.sessionHash === null || entry.source !== 'proxy' || entry.outcome === 'not_sent') return [];
  if (!usage || model === null) return [];
  return callUses({ ...entry, usage, model });
}

/** A call with known usage. */
interface UsedCall extends Pick<Entry, 'startedAt' | 'provider' | 'requestedModel'> {
  readonly model: string;
  readonly usage: Usage;
}

/** Returns what a call uses, by model and terms. */
export function callUses({ startedAt, provider, requestedModel, model, usage }: UsedCall): SessionUse[] {
  const { speed = '', tier = '', geo = '' } = shareTerms(usage.terms);
  const start = floor(startedAt, HOUR_MS);
  return usage.inferences.map((inference, index) => {
    const isOwn = inference.model === null || inference.model === model;
    return {
      start,
      provider,
      model: inference.model ?? model,
      requested: isOwn ? (requestedModel ?? model) : (inference.model ?? model),
      speed,
      tier,
      geo,
      step: lengthStep(inference.promptTokens ?? 0),
      used: {
        ...usedTokens(inference),
        webSearch: index === 0 ? (usage.uses.webSearch ?? 0) : 0,
        calls: index === 0 ? 1 : 0,
      },
    };
  });
}

function usedTokens({ tokens }: Inference): Omit<UsedCounts, 'webSearch' | 'calls'> {
  return {
    input: sumClasses(tokens, INPUT_CLASSES),
    cacheRead: sumClasses(tokens, CACHE_READ_CLASSES),
    cacheWrite: (tokens.cacheWrite ?? 0) + (tokens.cacheWrite12h ?? 0),
    cacheWrite5m: tokens.cacheWrite5m ?? 0,
    cacheWrite1h: tokens.cacheWrite1h ?? 0,
    output: sumClasses(tokens, OUTPUT_CLASSES),
  };
}

/** Returns a key that is equal for uses that are stored as one. */
export function useKey({ start, provider, model, requested: asked, speed, tier, geo, step }: SessionUse): string {
  return JSON.stringify([start, provider, model, asked, speed, tier, geo, step]);
}

/** Returns counts that take others off a sum. */
export function negateUsed(used: UsedCounts): UsedCounts {
  const nothing = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };
  const result: { -readonly [Item in UsedItem]: number } = { ...nothing, webSearch: 0, calls: 0 };
  for (const item of USED_ITEMS) result[item] = 0 - used[item];
  return result;
}

export function addUsed(a: UsedCounts, b: UsedCounts): UsedCounts {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
    output: a.output + b.output,
    webSearch: a.webSearch + b.webSearch,
    calls: a.calls + b.calls,
  };
}
