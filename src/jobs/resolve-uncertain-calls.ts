import { setImmediate } from 'node:timers/promises';
import { type CallAmounts, type Entry, isOpenBatch, isUncertain } from '../domain/usage/call.ts';
import { TollbookError } from '../domain/errors.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import { priceUsage } from '../domain/pricing/pricing.ts';
import { isCustomVersion, type FromReport } from '../domain/pricing/provenance.ts';
import type { ReconciledDay } from '../domain/reconciliation/reconcile.ts';
import { FEMTO_PER_NANO } from '../domain/reconciliation/exact-amounts.ts';
import { ListRates } from '../domain/reconciliation/list-rates.ts';
import { splitUncertain, type TokenShare } from '../domain/reconciliation/split-uncertain.ts';
import type { UnresolvedCalls, UnresolvedReason } from '../domain/reconciliation/unresolved-calls.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { ComparedDays } from '../provider-reports/compare-days.ts';
import { GatewayOnlyKeys, type UncertainCell } from '../provider-reports/gateway-only-keys.ts';
import { effectiveEntry, effectiveProvenance } from '../storage/effective-entry.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';
import type { Records } from '../storage/records/records.ts';
import { claimedJob } from './claimed-job.ts';
import type { Job } from './schedule.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';
import type { Period } from '../domain/time/period.ts';
import type { Adjustment, EntryStore } from '../storage/entry-store.ts';
import type { KeyUse, RecordedEntry, UsageQueries } from '../storage/usage-queries.ts';

/** Number of past days to check. */
export const LOOKED_DAYS = 31;
/** Rows of a page, and corrections of one transaction. */
const AT_ONCE = 200;
/** No workspace, for list prices. */
const NO_WORKSPACE = '';
/** New closed days poke it at any time: the next run includes what the last one did not see. */
const WHENEVER_POKED = { apartMs: 0 };
export const RESOLVE_UNCERTAIN_CALLS = 'resolve_uncertain_calls';
/** Actor in the audit log. */
const ACTOR = RESOLVE_UNCERTAIN_CALLS;
const REASON = 'resolved by the provider report';

export interface ResolveJobParts {
  readonly records: {
    readonly workspaces: Pick<Records['workspaces'], 'list'>;
    readonly adminKeys: Pick<Records['adminKeys'], 'list'>;
    readonly jobs: Records['jobs'];
  };
  readonly reports: Pick<UsageQueries, 'entriesPage'>;
  readonly entries: Pick<EntryStore, 'adjust'>;
  compare(key: AdminKey, range: Period): Promise<ComparedReport | null>;
  /** Returns the workspace's price of a provider's model; '' = the list price. */
  cardOf(workspaceId: string, provider: string, model: string, at: number): RateCard | null;
  /** Returns the time before which all calls of all nodes are in the ledger; Infinity = all calls are. */
  shippedUntil(): Promise<number>;
  /** Called after uncertain calls were resolved. */
  resolved(): void;
  /** Saves why other calls stay uncertain, by key. */
  saveUnresolved(adminKeyId: string, found: ReadonlyMap<string, UnresolvedCalls> | 'unread'): void;
  readonly clock: Clock;
  readonly log: Log;
  readonly runner: string;
}

type ComparedReport = Pick<ComparedDays, 'range' | 'wrappedOn' | 'nameOf' | 'carriedOver'> & {
  days(): AsyncIterable<Pick<ReconciledDay, 'day' | 'lines' | 'isClosed'>>;
};

/**
 * Resolves uncertain calls with the usage that the provider report has beyond all other calls, for keys that only the
 * gateway uses and on days whose figures are final. A resolved call is not uncertain, so no usage is assigned twice.
 */
export function resolveUncertainCallsJob(parts: ResolveJobParts): Job {
  const job: Job = {
    name: RESOLVE_UNCERTAIN_CALLS,
    everyMs: HOUR_MS,
    async run(signal) {
      const now = parts.clock();
      const range = { start: now - (now % DAY_MS) - LOOKED_DAYS * DAY_MS, end: now - (now % DAY_MS) };
      const workspaces = (await parts.records.workspaces.list()).map(({ id }) => id);
      if (!(await isAnyUncertain(parts, workspaces, range))) return;
      for (const workspaceId of workspaces)
        for (const key of await parts.records.adminKeys.list(workspaceId)) {
          if (signal.aborted) return;
          await resolveConnection(parts, key, range, workspaces, signal);
        }
    },
  };
  return claimedJob(parts, job, WHENEVER_POKED);
}

async function isAnyUncertain(
  { reports }: ResolveJobParts,
  workspaces: readonly string[],
  range: Period,
): Promise<boolean> {
  for (const id of workspaces) {
    const query = { range, filter: { uncertain: true }, cursor: null, limit: 1 };
    if ((await reports.entriesPage(id, query)).rows.length > 0) return true;
  }
  return false;
}

async function resolveConnection(
  parts: ResolveJobParts,
  key: AdminKey,
  range: Period,
  workspaces: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const compared = await parts.compare(key, range);
  // Days that are not read yet may show that a key is used elsewhere.
  if (!compared || compared.range.start > range.start) return parts.saveUnresolved(key.id, 'unread');
  const lone = new GatewayOnlyKeys((of, day) => compared.wrappedOn(of, day));
  let openFrom = compared.range.end;
  for await (const day of compared.days()) {
    if (day.isClosed) lone.add(day);
    else openFrom = Math.min(openFrom, day.day);
  }
  const shippedUntil = await parts.shippedUntil();
  const unresolved = new Map(lone.unresolved);
  let corrected = 0;
  for (const [day, cells] of Map.groupBy(lone.cells, (cell) => cell.day)) {
    const callsOf = groupCalls(await listUncertainCalls(parts, day, compared, workspaces), compared.nameOf);
    for (const cell of cells) {
      if (signal.aborted) return;
      const result = await shareCell(parts, cell, callsOf(cell), { openFrom, shippedUntil });
      if (typeof result === 'string') unresolved.set(cell.key, { why: result, day });
      else corrected += result;
    }
  }
  parts.saveUnresolved(key.id, unresolved);
  if (corrected === 0) return;
  parts.log.info({ adminKey: key.id, calls: corrected }, 'a provider report resolved uncertain calls');
  parts.resolved();
}

interface KnownUntil {
  /** Start of the first day that is not final. */
  readonly openFrom: number;
  readonly shippedUntil: number;
}

/** Assigns usage to these calls. Returns how many were corrected, or why none was. */
async function shareCell(
  parts: ResolveJobParts,
  cell: UncertainCell,
  calls: readonly RecordedEntry[],
  { openFrom, shippedUntil }: KnownUntil,
): Promise<number | UnresolvedReason> {
  // The leftover has the usage of calls that are still in a journal.
  if (cell.day + DAY_MS > shippedUntil) return 'unshipped';
  // Calls that ran past the end of the newest closed day may be reported on the next day, and batches on several.
  if (calls.some(({ entry }) => entry.endedAt >= openFrom || isOpenBatch(entry))) return 'open';
  if (calls.length !== cell.calls) return 'gone';
  const all = calls.map((recorded) => ({ recorded, ...boundCall(parts, recorded) }));
  const isMixed = all.some(({ own }) => own !== null);
  const bounds = all.map(({ counted, listed }) => (isMixed && listed !== null ? { ...counted, usd: listed } : counted));
  const shares = splitUncertain(cell.leftover, bounds, cell.upTo)?.map((share, index) => {
    const one = all[index];
    return one ? priceShare(one, share) : null;
  });
  return shares?.every((share) => share !== null) ? await adjustCalls(parts, calls, shares) : 'unshared';
}

/** Bounds of an uncertain call. */
interface CallBound {
  readonly counted: CallAmounts;
  /** The workspace's custom price; null = none. */
  readonly own: RateCard | null;
  /** nano-USD at the highest list price, which makes calls of different prices comparable; null = no list price. */
  readonly listed: number | null;
}

function boundCall({ cardOf }: ResolveJobParts, recorded: RecordedEntry): CallBound {
  const { counted } = effectiveEntry(recorded);
  const { workspaceId, provider, model, startedAt } = recorded.entry;
  const card = model === null ? null : cardOf(workspaceId, provider, model, startedAt);
  const rates = new ListRates((of) => cardOf(NO_WORKSPACE, provider, of, startedAt));
  const listed = Number(rates.boundOf(model, counted.inputTokens, counted.outputTokens) / FEMTO_PER_NANO);
  return { counted, own: card && isCustomVersion(card.version) ? card : null, listed: listed > 0 ? listed : null };
}

/** Usage and cost of a call by the report, and the source of its price. */
interface PricedShare extends TokenShare {
  readonly provenance: FromReport;
}

/**
 * Prices a share at the provider's price, or at the workspace's custom price if it has one; null = no price, or above
 * the call's bound.
 */
function priceShare(
  { recorded, counted, own }: CallBound & { recorded: RecordedEntry },
  share: TokenShare,
): PricedShare | null {
  if (!own) return share.cost <= (counted.usd ?? 0) ? { ...share, provenance: { from: 'report', versions: [] } } : null;
  const { cost, versions } = priceUsage(share.usage, recorded.entry.model ?? '', () => own);
  return cost === null ? null : { ...share, cost, provenance: { from: 'report', versions } };
}

/** Lists uncertain calls that the provider counts on a day. */
async function listUncertainCalls(
  { reports }: ResolveJobParts,
  day: number,
  { carriedOver }: ComparedReport,
  workspaces: readonly string[],
): Promise<RecordedEntry[]> {
  const carried = new Map<number, ReadonlySet<string>>();
  for (const night of [day - DAY_MS, day])
    carried.set(night, new Set((await carriedOver(night)).filter(isUncertainUse).map(keyAndModel)));
  const isOfDay = ({ keyId, model, startedAt, endedAt }: Entry): boolean => {
    const began = startedAt - (startedAt % DAY_MS);
    const isCarried = endedAt >= began + DAY_MS && carried.get(began)?.has(keyAndModel({ keyId, model }));
    return isCarried ? began + DAY_MS === day : began === day;
  };
  const found: RecordedEntry[] = [];
  const range = { start: carried.get(day - DAY_MS)?.size ? day - DAY_MS : day, end: day + DAY_MS };
  for (const id of workspaces)
    for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
      const query = { range, filter: { uncertain: true, source: 'proxy' as const }, cursor, limit: AT_ONCE };
      const page: Awaited<ReturnType<UsageQueries['entriesPage']>> = await reports.entriesPage(id, query);
      for (const recorded of page.rows)
        if (isOfDay(recorded.entry) && isCharged(recorded) && isUncertain(effectiveEntry(recorded)))
          found.push(recorded);
      cursor = page.next;
      await setImmediate();
    }
  return found;
}

/** Returns false for a call that a subscription of its client covers: provider reports do not have it. */
function isCharged(booked: RecordedEntry): boolean {
  return effectiveProvenance(booked)?.from !== 'subscription';
}

function isUncertainUse({ terms }: KeyUse): boolean {
  return terms.certainty === 'at_most';
}

function keyAndModel({ keyId, model }: Pick<KeyUse, 'keyId' | 'model'>): string {
  return JSON.stringify([keyId, model]);
}

function groupCalls(
  calls: readonly RecordedEntry[],
  nameOf: ComparedReport['nameOf'],
): (cell: UncertainCell) => readonly RecordedEntry[] {
  const byKey = Map.groupBy(calls, ({ entry }) => entry.keyId);
  return ({ wrappedKeyIds, model }) =>
    [...wrappedKeyIds]
      .flatMap((id) => byKey.get(id) ?? [])
      .filter(({ entry }) => (entry.model === null ? null : nameOf(entry.model)) === model);
}

async function adjustCalls(
  { entries, clock }: ResolveJobParts,
  calls: readonly RecordedEntry[],
  shares: readonly (PricedShare | null)[],
): Promise<number> {
  const adjustments = calls.flatMap((recorded, index) => toAdjustment(recorded, shares[index], clock()) ?? []);
  let inserted = 0;
  try {
    for (let at = 0; at < adjustments.length; at += AT_ONCE) {
      inserted += (await entries.adjust(adjustments.slice(at, at + AT_ONCE), ACTOR)).inserted;
      await setImmediate();
    }
  } catch (error) {
    // One of them was just resolved by a person: the next run handles the rest.
    if (!(error instanceof TollbookError)) throw error;
  }
  return inserted;
}

function toAdjustment(
  recorded: RecordedEntry,
  share: PricedShare | null | undefined,
  recordedAt: number,
): Adjustment | null {
  if (!share) return null;
  const { cost, provenance, ...resolved } = share;
  const { callId, workspaceId } = recorded.entry;
  return {
    adjustmentId: `${callId}:report`,
    callId,
    workspaceId,
    recordedAt,
    costBefore: effectiveEntry(recorded).cost,
    costAfter: cost,
    provenance,
    reason: REASON,
    resolved,
  };
}
