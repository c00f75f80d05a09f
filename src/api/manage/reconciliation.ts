import { TollbookError } from '../../core/errors.ts';
import { type HeldProviderKey, matchProviderKeys } from '../../core/match-provider-keys.ts';
import { usdFromNano } from '../../core/money.ts';
import { iso, readPeriod } from '../../core/period.ts';
import { type GateCell, REASONS, reconcile, type ReconciledLine } from '../../core/reconcile.ts';
import type { AdminKey } from '../../storage/records/admin-key-records.ts';
import type { Range } from '../../storage/store.ts';
import { periodQuery } from '../contract.ts';
import { reconciliationAnswer, type ReconciliationShape } from '../contract-reconciliation.ts';
import { endpoint } from '../endpoint.ts';
import type { ReportedUse, Services } from '../services.ts';

const DAY_MS = 86_400_000;
/** Lines of an organization that are shown. */
const LINES_MAX = 1_000;
const DAYS_MAX = 31;
/** At list price: a wrong price that a workspace set for itself would agree with itself. */
const NO_WORKSPACE = '';

type Answer = ReconciliationShape['organizations'][number];

export const reconciliation = endpoint({
  method: 'GET',
  path: '/api/manage/reconciliation',
  summary: 'Book and provider reports compared, with a reason for each difference',
  description: `Whole UTC days, ${DAYS_MAX} at most. Keys are matched with the provider keys of all workspaces.`,
  scope: 'admin',
  right: 'read',
  query: periodQuery,
  answer: reconciliationAnswer,
  async handle({ caller, query }, services) {
    const { start, end } = readPeriod(query.startDate, query.endDate, services.clock());
    const range = { start: start - (start % DAY_MS), end: Math.ceil(end / DAY_MS) * DAY_MS };
    if (range.end - range.start > DAYS_MAX * DAY_MS)
      throw new TollbookError('invalid', `Ask for ${DAYS_MAX} days at most.`, 'startDate');
    const organizations: Answer[] = [];
    for (const key of await services.records.adminKeys.list(caller.workspaceId))
      organizations.push(answerOf(key, await compared(key, range, services)));
    return { organizations };
  },
});

type Compared = { readonly reported: ReportedUse; readonly result: ReturnType<typeof reconcile> } | null;

async function compared(key: AdminKey, range: Range, services: Services): Promise<Compared> {
  const { organizations, records, prices, providers } = services;
  const reported = await organizations.reported(key, range);
  if (!reported || reported.range.start >= reported.range.end) return null;
  const held = await records.keys.heldKeys(key.provider);
  const hinted = reported.names.filter(({ kind }) => kind === 'key');
  const priceProvider = providers.get(key.provider)?.priceProvider ?? key.provider;
  const resolve = (model: string, day: number) => prices.resolve(NO_WORKSPACE, priceProvider, model, day);
  const result = reconcile({
    reported: reported.cells,
    gate: await gateCells(key.provider, held, reported.range, services),
    matches: matchProviderKeys(hinted, held),
    closedBefore: reported.closedBefore,
    nameOf: (model) => resolve(model, reported.range.start)?.model ?? model,
    resolve,
  });
  return { reported, result };
}

/** What passed the gate in all workspaces. Calls of a day before its key was held are of a key that is not known. */
async function gateCells(
  provider: string,
  held: readonly HeldProviderKey[],
  range: Range,
  { records, reports }: Services,
): Promise<GateCell[]> {
  const heldOf = new Map(held.flatMap((key) => key.wrappedKeyIds.map((id) => [id, key] as const)));
  const cells: GateCell[] = [];
  for (const { id } of await records.workspaces.list())
    for (const { day, keyId, provider: called, model, totals } of await reports.keyDays(id, range)) {
      if (called !== provider) continue;
      const key = heldOf.get(keyId);
      const isHeld = key && day + DAY_MS > key.heldSince;
      cells.push({ day, heldId: isHeld ? key.id : '', model, totals });
    }
  return cells;
}

const NOTHING: Omit<Answer, 'id' | 'name' | 'provider'> = {
  start: null,
  end: null,
  bookCost: 0,
  providerCost: 0,
  reasons: amounts(() => 0n),
  unexplained: 0,
  unpricedLines: 0,
  coverage: { passed: 0, unclear: 0, total: 0, share: null },
  lines: [],
  linesLeft: 0,
  apart: { calls: 0, cost: 0 },
  providerCosts: [],
};

function answerOf({ id, name, provider }: AdminKey, found: Compared): Answer {
  if (!found) return { id, name, provider, ...NOTHING };
  const { reported, result } = found;
  const { lines, apart, coverage } = result;
  const { passed, unclear, total } = coverage;
  const names = new Map(reported.names.filter(({ kind }) => kind === 'key').map((key) => [key.id, key.name]));
  const dearest = lines.toSorted((a, b) => Number(size(b) - size(a)));
  const sum = (read: (line: ReconciledLine) => bigint): bigint => lines.reduce((all, line) => all + read(line), 0n);
  return {
    id,
    name,
    provider,
    start: date(reported.range.start),
    end: date(reported.range.end),
    bookCost: usdFromNano(sum(({ book }) => book.cost)),
    providerCost: usdFromNano(sum((line) => line.providerCost ?? 0n)),
    reasons: amounts((reason) => sum((line) => line.reasons.find((one) => one.reason === reason)?.amount ?? 0n)),
    unexplained: usdFromNano(sum((line) => line.unexplained ?? 0n)),
    unpricedLines: lines.filter(({ providerCost }) => providerCost === null).length,
    coverage: {
      passed: usdFromNano(passed),
      unclear: usdFromNano(unclear),
      total: usdFromNano(total),
      share: total === 0n ? null : Number((passed * 10_000n) / total) / 10_000,
    },
    lines: dearest.slice(0, LINES_MAX).map((line) => lineView(line, names)),
    linesLeft: Math.max(0, lines.length - LINES_MAX),
    apart: {
      calls: apart.reduce((calls, { totals }) => calls + totals.calls, 0),
      cost: usdFromNano(apart.reduce((cost, { totals }) => cost + totals.cost, 0n)),
    },
    providerCosts: costsOf(reported),
  };
}

function amounts(read: (reason: (typeof REASONS)[number]) => bigint): Answer['reasons'] {
  const [beside, uncertain, unknown, settling, rounding] = REASONS.map((reason) => usdFromNano(read(reason)));
  return {
    not_through_the_gate: beside ?? 0,
    uncertain_calls: uncertain ?? 0,
    key_unknown: unknown ?? 0,
    settling: settling ?? 0,
    rounding: rounding ?? 0,
  };
}

function lineView(line: ReconciledLine, names: ReadonlyMap<string, string>): Answer['lines'][number] {
  const { day, key, model, book, providerCost, missing, difference, reasons, unexplained } = line;
  return {
    day: date(day),
    key: key === null ? null : { id: key, name: names.get(key) ?? null },
    model,
    bookCost: usdFromNano(book.cost),
    bookCalls: book.calls,
    providerCost: usdOrNull(providerCost),
    missing,
    difference: usdOrNull(difference),
    reasons: reasons.map(({ reason, amount }) => ({ reason, amount: usdFromNano(amount) })),
    unexplained: usdOrNull(unexplained),
  };
}

/** What has no price comes first: nothing is known of it. */
function size({ difference }: ReconciledLine): bigint {
  if (difference === null) return 1n << 62n;
  return difference < 0n ? -difference : difference;
}

/** By day, project and model, which is as far as the provider tells costs apart. */
function costsOf({ costs }: ReportedUse): Answer['providerCosts'] {
  return costs.flatMap(({ day, rows }) =>
    [...Map.groupBy(rows, ({ project, model }) => JSON.stringify([project, model])).values()].map((group) => {
      const known = group.every(({ nanoUsd }) => nanoUsd !== null);
      const nano = group.reduce((sum, { nanoUsd }) => sum + BigInt(nanoUsd ?? 0), 0n);
      const { project = null, model = null } = group[0] ?? {};
      return { day: date(day), project, model, cost: known ? usdFromNano(nano) : null };
    }),
  );
}

function date(ms: number): string {
  return iso(ms).slice(0, 10);
}

function usdOrNull(nano: bigint | null): number | null {
  return nano === null ? null : usdFromNano(nano);
}
