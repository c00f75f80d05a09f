import { setImmediate } from 'node:timers/promises';
import type { Alert } from '../domain/alerts/alert.ts';
import {
  addCoverage,
  type SpendCoverage,
  type CoverageGap,
  compareCoverage,
  NO_COVERAGE,
  RECENT_DAYS,
  WATCHED_DAYS,
} from '../domain/reconciliation/coverage.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { unproxiedByKey } from '../domain/reconciliation/unproxied-usage.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';
import type { Records } from '../storage/records/records.ts';
import { type DayParts, type KnownKeys, readOrganizationDay } from './organization-day.ts';
import type { UnproxiedParts } from './unproxied-days.ts';
import { DAY_MS } from '../domain/time/units.ts';
import { formatAmount } from '../domain/text/limits.ts';

/** Keys named in an alert. */
const KEYS_MAX = 5;
const EPISODE = 'coverage:';

export interface WatchParts extends UnproxiedParts {
  readonly records: UnproxiedParts['records'] & { readonly alerts: Pick<Records['alerts'], 'open' | 'resolve'> };
  readonly raise: (alert: Alert) => Promise<void>;
  /** Called after an alert is resolved, to queue its deliveries. */
  readonly resolved: () => void;
}

/** Raises an alert once when the unproxied share of an organization's spend grows, and resolves it when the share is back. */
export async function watchCoverage(parts: WatchParts, key: AdminKey, keys: KnownKeys, now: number): Promise<void> {
  const gap = await findGap(parts, key, keys.closedBefore);
  if (!gap || gap.is === 'between') return;
  const { alerts } = parts.records;
  const open = (await alerts.open(key.workspaceId, ['COVERAGE'])).filter(
    ({ scope, episode }) => scope['adminKey'] === key.id && episode.startsWith(EPISODE),
  );
  if (gap.is === 'over') {
    for (const { episode } of open) await alerts.resolve(key.workspaceId, episode, now);
    if (open.length > 0) parts.resolved();
  } else if (open.length === 0) {
    await parts.raise(await gapAlert(parts, key, keys, gap, now));
  }
}

async function findGap(
  { unproxiedUsage }: WatchParts,
  { id, workspaceId }: AdminKey,
  end: number,
): Promise<CoverageGap | null> {
  const days = await unproxiedUsage.coverage(workspaceId, { start: end - WATCHED_DAYS * DAY_MS, end });
  const sum = (isIn: (day: number) => boolean): SpendCoverage =>
    days
      .filter(({ day, connectionId }) => connectionId === id && isIn(day))
      .map(({ coverage }) => coverage)
      .reduce(addCoverage, NO_COVERAGE);
  const recent = end - RECENT_DAYS * DAY_MS;
  return compareCoverage(
    sum((day) => day >= recent),
    sum((day) => day < recent),
  );
}

/** Unproxied spend of one key, nano-USD per average day. */
interface GrownKey {
  readonly key: string | null;
  readonly before: bigint;
  readonly now: bigint;
}

async function gapAlert(
  parts: DayParts,
  key: AdminKey,
  keys: KnownKeys,
  { recent, before }: CoverageGap,
  now: number,
): Promise<Alert> {
  const { id, name, workspaceId } = key;
  const names = new Map(
    (await parts.providerReports.names(id)).flatMap((one) => (one.kind === 'key' ? [[one.id, one.name]] : [])),
  );
  const nameOf = (of: string | null): string => (of === null ? 'no key (a console)' : `"${names.get(of) ?? of}"`);
  const grown = await grownKeys(parts, key, keys);
  const growth = grown.map((one) => `${nameOf(one.key)} ${usd(one.now)} a day, ${usd(one.before)} before`);
  const [share, shareBefore] = [percent(recent), percent(before)];
  const { closedBefore } = keys;
  return {
    type: 'COVERAGE',
    severity: 'warning',
    workspaceId,
    title: `${share}% of the spend of ${name} was outside the gateway, up from ${shareBefore}%`,
    message: `In the last ${RECENT_DAYS} final days, ${usd(recent.unproxied)} of ${usd(recent.total)} did not go through the gateway. ${growth.length === 0 ? '' : `Largest growth: ${growth.join('; ')}. `}See Provider reports in the dashboard, or run: tollbook reconcile --coverage.`,
    episode: `${EPISODE}${id}:${closedBefore}`,
    createdAt: now,
    scope: { adminKey: id },
    value: usdFromNano(recent.unproxied),
    threshold: null,
    period: { start: closedBefore - RECENT_DAYS * DAY_MS, end: closedBefore },
    evidence: {
      unproxiedPercent: share,
      unproxiedPercentBefore: shareBefore,
      keys: grown.map((one) => ({
        id: one.key,
        name: one.key === null ? null : (names.get(one.key) ?? null),
        usdADay: usdFromNano(one.now),
        usdADayBefore: usdFromNano(one.before),
      })),
    },
  };
}

async function grownKeys(parts: DayParts, key: AdminKey, keys: KnownKeys): Promise<GrownKey[]> {
  const sums = new Map<string | null, { before: bigint; now: bigint }>();
  for (let ago = WATCHED_DAYS; ago > 0; ago -= 1) {
    const day = await readOrganizationDay(parts, key, keys, keys.closedBefore - ago * DAY_MS);
    for (const { key: of, usage } of unproxiedByKey(day)) {
      const sum = sums.get(of) ?? { before: 0n, now: 0n };
      sum[ago > RECENT_DAYS ? 'before' : 'now'] += usage.coverage.unproxied;
      sums.set(of, sum);
    }
    await setImmediate();
  }
  const all = [...sums].map(([of, sum]) => ({
    key: of,
    before: sum.before / BigInt(WATCHED_DAYS - RECENT_DAYS),
    now: sum.now / BigInt(RECENT_DAYS),
  }));
  const grown = all.filter((one) => one.now > one.before);
  return grown.toSorted((a, b) => Number(b.now - b.before - (a.now - a.before))).slice(0, KEYS_MAX);
}

function percent({ total, unproxied }: SpendCoverage): number {
  return Number((unproxied * 1_000n) / total) / 10;
}

function usd(nano: bigint): string {
  return formatAmount('usd', usdFromNano(nano));
}
