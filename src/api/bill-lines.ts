import type { BillLineShape } from '../contract/bill-lines.ts';
import {
  type AppliedBillLine,
  applyBillLines,
  BILL_LINE_DAYS_MAX,
  type BillLine,
  type DailyCosts,
} from '../domain/billing/bill-line.ts';
import { TollbookError } from '../domain/errors.ts';
import { readUsd, usdFromNano } from '../domain/money/money.ts';
import { parseDay, type Period, toIso, utcDate } from '../domain/time/period.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { Clock } from '../lib/clock.ts';
import type { Provider } from '../providers/provider.ts';
import type { Records } from '../storage/records/records.ts';
import type { UnproxiedUsageStore } from '../storage/unproxied-usage.ts';
import type { UsageQueries } from '../storage/usage-queries.ts';
import { endpoint } from './http/endpoint.ts';
import { computeEtag } from './http/if-match.ts';
import { unknownProvider } from './unknown-provider.ts';

export interface BillLineServices {
  readonly clock: Clock;
  readonly records: Records;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly reports: UsageQueries;
  readonly unproxiedUsage: UnproxiedUsageStore;
}

export const listBillLines = endpoint('GET /api/manage/bill-lines', ({ caller }, services: BillLineServices) =>
  billLineViews(services, caller.workspaceId),
);

export const addBillLine = endpoint(
  'POST /api/manage/bill-lines',
  async ({ caller, body }, services: BillLineServices): Promise<BillLineShape> => {
    const { provider, kind, name } = body;
    const { workspaceId } = caller;
    if (!services.providers.has(provider)) throw unknownProvider(provider, services.providers.keys());
    const today = utcToday(services.clock());
    const from = body.from === undefined ? today : readUtcDay(body.from, 'from');
    if (from < today - BILL_LINE_DAYS_MAX * DAY_MS)
      throw new TollbookError('invalid', `from is more than ${BILL_LINE_DAYS_MAX} days ago.`, 'from');
    const amount = readUsd(body.amount, 'amount');
    const until = body.until === null ? null : readUtcDay(body.until, 'until');
    const wanted = { workspaceId, provider, kind, name, amount, from, until };
    const added = await services.records.billLines.add(wanted, caller.actor);
    const views = await billLineViews(services, workspaceId);
    const own = views.find(({ id }) => id === added.id);
    if (!own) throw new TollbookError('conflict', `The ${kind} "${added.id}" was just deleted.`);
    return own;
  },
);

export const removeBillLine = endpoint(
  'DELETE /api/manage/bill-lines/{id}',
  async ({ caller, path, requireMatch }, { records }: BillLineServices) => {
    await records.billLines.remove(caller.workspaceId, path.id, caller.actor, (now) =>
      requireMatch({ etag: lineEtag(now) }),
    );
    return { id: path.id };
  },
);

async function billLineViews(services: BillLineServices, workspaceId: string): Promise<BillLineShape[]> {
  const lines = await services.records.billLines.list(workspaceId);
  const asked = { start: 0, end: utcToday(services.clock()) + DAY_MS };
  const providers = [...new Set(lines.map(({ provider }) => provider))];
  const applied = await Promise.all(
    providers.map((provider) => appliedLines(services, { workspaceId, provider }, lines, asked)),
  );
  const byId = new Map(applied.flat().map((one) => [one.line.id, billLineView(one)]));
  return lines.flatMap(({ id }) => byId.get(id) ?? []);
}

/** Applies the lines of a provider to its recorded costs, in the gateway and outside it. */
export async function appliedLines(
  services: Pick<BillLineServices, 'clock' | 'reports' | 'unproxiedUsage'>,
  { workspaceId, provider }: Pick<BillLine, 'workspaceId' | 'provider'>,
  all: readonly BillLine[],
  asked: Period,
): Promise<AppliedBillLine[]> {
  const lines = all.filter((line) => line.provider === provider);
  const today = utcToday(services.clock());
  const first = Math.max(Math.min(...lines.map(({ from }) => from)), today - BILL_LINE_DAYS_MAX * DAY_MS);
  if (lines.length === 0 || first > today) return applyBillLines(lines, new Map(), asked, today);
  const range = { start: first, end: today + DAY_MS };
  return applyBillLines(lines, await dailyCosts(services, { workspaceId, provider }, range), asked, today);
}

async function dailyCosts(
  { reports, unproxiedUsage }: Pick<BillLineServices, 'reports' | 'unproxiedUsage'>,
  { workspaceId, provider }: Pick<BillLine, 'workspaceId' | 'provider'>,
  range: Period,
): Promise<DailyCosts> {
  const days = (range.end - range.start) / DAY_MS;
  const buckets = Array.from({ length: days }, (_, index) => range.start + index * DAY_MS);
  const costs = new Map<number, bigint>();
  const add = (day: number, cost: bigint): unknown => costs.set(day, (costs.get(day) ?? 0n) + cost);
  for (const { bucket, totals } of await reports.series(workspaceId, {
    range,
    buckets,
    by: null,
    filter: { provider },
  }))
    add(bucket, totals.cost);
  for (const rest of await unproxiedUsage.dailySums(workspaceId, range))
    if (rest.provider === provider) add(rest.day, rest.totals.cost);
  return costs;
}

function billLineView({ line, cost, used }: AppliedBillLine): BillLineShape {
  const { id, provider, kind, name, amount, from, until, createdAt } = line;
  return {
    id,
    provider,
    kind,
    name,
    amount: usdFromNano(amount),
    from: utcDate(from),
    until: until === null ? null : utcDate(until),
    cost: usdFromNano(cost),
    used: usdFromNano(used),
    left: usdFromNano(BigInt(amount) - used),
    createdAt: toIso(createdAt),
    etag: lineEtag(line),
  };
}

/** Costs change without the line. */
function lineEtag(line: BillLine): string {
  return computeEtag(line);
}

function utcToday(now: number): number {
  return now - (now % DAY_MS);
}

function readUtcDay(text: string, param: string): number {
  return Date.parse(parseDay(text, param));
}
