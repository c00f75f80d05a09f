import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { unproxiedByModel } from '../domain/reconciliation/unproxied-usage.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';
import type { UnproxiedUsageStore, MarkedDay } from '../storage/unproxied-usage.ts';
import { listDependentDays, BOUNDARIES_MAX } from './carried-over.ts';
import {
  type DayParts,
  type KnownKeys,
  readKnownKeys,
  readLateUses,
  readOrganizationDay,
  hashTerms,
  termSpans,
} from './organization-day.ts';
import { findReadDays } from './sync-plan.ts';
import type { DayWindow } from './source.ts';
import { findReportSource } from './sources.ts';
import { DAY_MS } from '../domain/time/units.ts';

/** Days per query. */
const SLICE_DAYS = 50;
/** Midnights further away do not affect a day. */
const REACH_MS = (BOUNDARIES_MAX + 3) * DAY_MS;

export interface UnproxiedParts extends DayParts {
  readonly unproxiedUsage: UnproxiedUsageStore;
}

/** Result of an update of one connection. */
interface UpdatedDays {
  readonly days: number;
  /** Days of these that are final at the provider. */
  readonly closed: number;
  readonly keys: KnownKeys;
}

/**
 * Recalculates the unproxied usage of a connection for days whose report, calls or known keys changed. Returns null if
 * nothing has been read yet.
 * @param compared by connection, a hash of the keys that its days were last compared with
 */
export async function updateUnproxiedUsage(
  parts: UnproxiedParts,
  key: AdminKey,
  compared: Map<string, string>,
  signal: AbortSignal,
): Promise<UpdatedDays | null> {
  const source = findReportSource(key.provider);
  const days = source && findReadDays(source, await parts.providerReports.states(key.id));
  if (!days) return null;
  const keys = await readKnownKeys(parts, key, days);
  await markChangedDays(parts, key.id, keys, days, compared);
  for (let computed = 0, closed = 0; ;) {
    const due = await parts.unproxiedUsage.markedDays(key.id, SLICE_DAYS);
    if (due.length === 0) return { days: computed, closed, keys };
    for (const day of await withNeighbors(parts, key, due, { ...days, closedBefore: keys.closedBefore })) {
      if (signal.aborted) return { days: computed, closed, keys };
      await updateDay(parts, key, keys, day);
      computed += 1;
      if (day.day < keys.closedBefore) closed += 1;
      await setImmediate();
    }
  }
}

async function updateDay(parts: UnproxiedParts, key: AdminKey, keys: KnownKeys, due: MarkedDay): Promise<void> {
  const { id: connectionId, workspaceId, provider } = key;
  if (due.day < keys.closedBefore)
    await parts.unproxiedUsage.closing({ connectionId, workspaceId, provider, day: due.day });
  const organization = await readOrganizationDay(parts, key, keys, due.day);
  const { isClosed } = organization;
  const rows = unproxiedByModel(organization);
  const terms = hashTerms(keys, due.day);
  await parts.unproxiedUsage.replaceDay({ connectionId, workspaceId, provider, ...due, isClosed, terms, rows });
}

/** Serial of a day that was not marked as changed. */
const NO_SERIAL = 0;

/** Adds the days that depend on the due ones across a midnight, and puts them first: updating a day clears its mark. */
async function withNeighbors(
  parts: UnproxiedParts,
  { provider }: AdminKey,
  due: readonly MarkedDay[],
  read: DayWindow & { readonly closedBefore: number },
): Promise<MarkedDay[]> {
  // A day that still changes says nothing about the midnights before it.
  const all = due.map(({ day }) => day).filter((day) => day < read.closedBefore);
  if (all.length === 0) return [...due];
  const around = { start: Math.min(...all) - REACH_MS, end: Math.max(...all) + REACH_MS };
  const late = new Set((await readLateUses(parts, provider, around)).map(({ day }) => day));
  if (late.size === 0) return [...due];
  const near = new Set(all.flatMap((day) => listDependentDays(day, (one) => late.has(one))));
  const own = new Set(due.map(({ day }) => day));
  const others = [...near].filter((day) => day >= read.start && day < read.end && !own.has(day));
  return [...others.map((day) => ({ day, serial: NO_SERIAL })), ...due];
}

/** Marks the days that were calculated with other terms than the current ones. */
async function markChangedDays(
  { unproxiedUsage }: UnproxiedParts,
  id: string,
  keys: KnownKeys,
  days: DayWindow,
  compared: Map<string, string>,
): Promise<void> {
  const held = keys.held.map((key) => [key.id, key.heldSince, key.heldUntil]);
  const now = hash('sha256', JSON.stringify([keys.hinted, held, keys.closedBefore, days]), 'base64url');
  if (compared.get(id) === now) return;
  for (const span of termSpans(keys, days))
    await unproxiedUsage.markDays(id, span, { termsOtherThan: hashTerms(keys, span.start) });
  compared.set(id, now);
}
