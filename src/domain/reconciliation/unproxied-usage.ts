import { EMPTY_TOTALS, isEmptySum, sumTotals, type UsageTotals } from '../usage/usage-totals.ts';
import { addCoverage, type SpendCoverage, NO_COVERAGE } from './coverage.ts';
import type { KeyGroups } from './key-groups.ts';
import type { RateCard } from '../pricing/price.ts';
import { REPORT_CLASSES, type ReportAmounts } from './provider-report.ts';
import {
  FAMILY_NAMES,
  type FamilyTokens,
  NO_TOKENS,
  type ProxiedAmounts,
  type ReportedPart,
  type ResidualUsage,
  computeResidual,
} from './residual.ts';
import { CACHE_READ_CLASSES, CACHE_WRITE_CLASSES, inputTokens, outputTokens, sumClasses } from '../usage/usage.ts';

/**
 * Usage outside the gateway on one UTC day, by model. Together with calls through the gateway it is all that is owed,
 * each call once. Days that are not final only include keys that were never wrapped.
 */
export interface UnproxiedModelUsage {
  /** Name in the report; null = none. */
  readonly model: string | null;
  readonly totals: UsageTotals;
  readonly coverage: SpendCoverage;
}

/** Usage of one wrapped key and model. */
export interface ProxiedUse extends ProxiedAmounts {
  readonly keyId: string;
  readonly model: string | null;
  /** False = the ledger has no cost for it, so its cost is in the report alone. */
  readonly isCosted: boolean;
}

export interface OrganizationDay {
  readonly reported: readonly {
    readonly key: string | null;
    readonly model: string | null;
    readonly rows: readonly ReportedPart[];
  }[];
  /** Usage of wrapped keys of all workspaces. */
  readonly proxied: readonly ProxiedUse[];
  readonly groups: KeyGroups;
  /** The day is final. */
  readonly isClosed: boolean;
  /** Spellings of one model are one model. */
  nameOf(model: string): string;
  /** The workspace's own price. */
  resolve(model: string): RateCard | null;
  /** List price. */
  listed(model: string): RateCard | null;
}

/** Usage of one model by keys that may be the same key. */
interface UsagePart {
  readonly group: string | null;
  readonly key: string | null;
  readonly model: string | null;
  /** Name in the report. */
  readonly spelled: string | null;
  readonly rows: ReportedPart[];
  proxied: ProxiedAmounts;
  /** Part with a cost in the ledger. */
  costed: ProxiedAmounts;
}

export function unproxiedByModel(day: OrganizationDay): UnproxiedModelUsage[] {
  const byModel = Map.groupBy(unproxiedByKey(day), ({ usage }) => usage.model);
  return [...byModel.values()].map((all) => all.map(({ usage }) => usage).reduce(addUnproxied)).filter(isAny);
}

/** Returns usage by key; one key represents a group. null = without a key. */
export function unproxiedByKey(
  day: OrganizationDay,
): { readonly key: string | null; readonly usage: UnproxiedModelUsage }[] {
  return groupUsageParts(day).map((part) => ({ key: part.key, usage: unproxiedInPart(part, day) }));
}

function groupUsageParts({ reported, proxied, groups, nameOf }: OrganizationDay): UsagePart[] {
  const parts = new Map<string, UsagePart>();
  for (const { key, model, rows } of reported) {
    const group = key === null ? null : (groups.ofReported.get(key) ?? null);
    const name = model === null ? null : nameOf(model);
    const place = JSON.stringify([group === null, group ?? key, name]);
    const known = parts.get(place);
    if (known) known.rows.push(...rows);
    else parts.set(place, { group, key, model: name, spelled: model, rows: [...rows], proxied: NONE, costed: NONE });
  }
  for (const { keyId, model, isCosted, ...use } of proxied) {
    const group = groups.ofWrapped.get(keyId);
    const part = parts.get(JSON.stringify([false, group, model === null ? null : nameOf(model)]));
    if (!part) continue;
    part.proxied = addProxied(part.proxied, use);
    if (isCosted) part.costed = addProxied(part.costed, use);
  }
  return [...parts.values()];
}

function unproxiedInPart(
  { group, model, spelled, rows, ...passed }: UsagePart,
  day: OrganizationDay,
): UnproxiedModelUsage {
  const { groups, isClosed, resolve, listed } = day;
  const cell = { model, rows, proxied: group === null ? null : passed.proxied, isClosed };
  const rest = computeResidual(cell, resolve);
  const isCosted = group === null || isEqual(passed.costed.effective, passed.proxied.effective);
  const owed = isCosted ? rest : computeResidual({ ...cell, proxied: passed.costed }, resolve);
  return { model: spelled, totals: toUnproxiedTotals(rest, owed), coverage: coverage() };

  function coverage(): SpendCoverage {
    const total = isClosed ? computeResidual({ ...cell, proxied: null }, listed).cost : null;
    if (total === null) return NO_COVERAGE;
    if (group !== null && groups.unsure.has(group)) return { total, unproxied: 0n, unknown: total };
    const isListed = model === null || resolve(model) === listed(model);
    return { total, unproxied: (isListed ? rest : computeResidual(cell, listed)).cost ?? 0n, unknown: 0n };
  }
}

function isEqual(a: FamilyTokens, b: FamilyTokens): boolean {
  return FAMILY_NAMES.every((family) => a[family] === b[family]);
}

const NONE: ProxiedAmounts = { amounts: {}, effective: NO_TOKENS, calls: 0 };

function addProxied(a: ProxiedAmounts, b: ProxiedAmounts): ProxiedAmounts {
  const amounts: ReportAmounts = { ...a.amounts };
  for (const name of REPORT_CLASSES) if (b.amounts[name]) amounts[name] = (amounts[name] ?? 0) + b.amounts[name];
  const effective = { ...a.effective };
  for (const family of FAMILY_NAMES) effective[family] += b.effective[family];
  return { amounts, effective, calls: a.calls + b.calls };
}

/** @param owed includes usage without a cost in the ledger: its tokens are in the ledger, its cost is in no other sum */
function toUnproxiedTotals(
  { notProxied, calls, callsUnknown }: ResidualUsage,
  { cost }: Pick<ResidualUsage, 'cost'>,
): UsageTotals {
  return {
    ...EMPTY_TOTALS,
    calls,
    uncountedRecords: callsUnknown ? 1 : 0,
    cost: cost ?? 0n,
    inputTokens: inputTokens(notProxied),
    cacheReadTokens: sumClasses(notProxied, CACHE_READ_CLASSES),
    cacheWriteTokens: sumClasses(notProxied, CACHE_WRITE_CLASSES),
    outputTokens: outputTokens(notProxied),
    unpricedCalls: cost === null ? calls : 0,
    unpricedUses: cost === null && (callsUnknown || calls === 0) ? 1 : 0,
  };
}

function addUnproxied(a: UnproxiedModelUsage, b: UnproxiedModelUsage): UnproxiedModelUsage {
  return {
    model: a.model,
    totals: sumTotals([a, b]),
    coverage: addCoverage(a.coverage, b.coverage),
  };
}

function isAny({ totals, coverage }: UnproxiedModelUsage): boolean {
  return coverage.total > 0n || !isEmptySum(totals);
}
