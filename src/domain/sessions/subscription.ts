import type { CodingAssistant } from '../observed/observed-call.ts';
import { LOCAL_SOURCES, type LocalSource, PROVIDER_OF_SOURCE } from './local-call.ts';
import { nextLocalDay, type Period, startOfDay } from '../time/period.ts';

/** Providers whose plans cover sessions. */
export const PLAN_PROVIDERS = ['anthropic', 'openai'] as const;
export type PlanProvider = (typeof PLAN_PROVIDERS)[number];

export const SEATS_MAX = 100_000;

/** A flat-rate plan that is paid for. */
export interface PlanSubscription {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly provider: PlanProvider;
  readonly plan: string;
  /** nano-USD, for each seat. */
  readonly monthlyCost: number;
  readonly seats: number;
  /** Its first and its last day, `2026-01-31`, of the workspace's time zone; null = it continues. */
  readonly startedOn: string;
  readonly endedOn: string | null;
  /** Tokens whose sessions it covers; none = all sessions of its provider. */
  readonly tokenIds: readonly string[];
  readonly createdAt: number;
}

/** The time that it is paid for. */
export function subscribedTime({ startedOn, endedOn }: PlanSubscription, timeZone: string): Period {
  const start = startOfDay(localDay(startedOn), timeZone);
  const end =
    endedOn === null ? Number.POSITIVE_INFINITY : startOfDay(nextLocalDay(localDay(endedOn), 'day'), timeZone);
  return { start, end };
}

function localDay(text: string): number {
  return Date.parse(`${text}T00:00:00Z`);
}

export function isSubscribed(subscription: PlanSubscription, at: number, timeZone: string): boolean {
  const { start, end } = subscribedTime(subscription, timeZone);
  return at >= start && at < end;
}

/** A part of a period in which the same subscriptions hold. */
export interface CoveredTime extends Period {
  readonly subscriptions: readonly PlanSubscription[];
}

export function coveredTimes(
  subscriptions: readonly PlanSubscription[],
  { start, end }: Period,
  timeZone: string,
): CoveredTime[] {
  const times = subscriptions.map((subscription) => ({ subscription, ...subscribedTime(subscription, timeZone) }));
  const edges = times.flatMap((time) => [time.start, time.end]).filter((edge) => edge > start && edge < end);
  const starts = [start, ...new Set(edges.toSorted((a, b) => a - b))];
  return starts.map((from, index) => ({
    start: from,
    end: starts[index + 1] ?? end,
    subscriptions: times.filter((time) => time.start <= from && from < time.end).map((time) => time.subscription),
  }));
}

/** Usage that a plan may cover; `assistant` is null for programs. */
interface CoverableUsage {
  readonly provider: string;
  readonly tokenId: string;
  readonly assistant: CodingAssistant | LocalSource | null;
}

/** A plan covers the usage of its provider's own assistant. */
export function covers({ provider, tokenIds }: PlanSubscription, usage: CoverableUsage): boolean {
  const source = LOCAL_SOURCES.find((one) => one === usage.assistant);
  if (source === undefined || PROVIDER_OF_SOURCE[source] !== provider || usage.provider !== provider) return false;
  return tokenIds.length === 0 || tokenIds.includes(usage.tokenId);
}
